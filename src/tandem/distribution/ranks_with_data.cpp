#include "tandem/distribution/ranks_with_data.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/comm/communicator.h"
#include "tandem/core/error.h"

namespace tandem::distribute {
namespace {

const char* described(RanksWithData::Act act) {
  if (act == RanksWithData::Act::statistics) return "go through a SyncBatchNorm";
  return act == RanksWithData::Act::buffers ? "begin a forward pass" : "begin a backward pass";
}

}  // namespace

RanksWithData::RanksWithData(const ProcessGroup& group)
    : group_(group), words_(at::zeros({group.world_size()}, at::kLong)), count_(group.world_size()) {}

void RanksWithData::say(Act act) {
  pending_.wait();
  words_.zero_();
  words_.mutable_data_ptr<int64_t>()[group_.rank()] = static_cast<int64_t>(act);
  pending_ = group_.communicator().all_reduce_async(words_, {.what = "which ranks have data"});
}

RanksWithData::Act RanksWithData::hear() {
  pending_.wait();
  int64_t count = 0, first = -1;
  for (int64_t r = 0; r < group_.world_size(); ++r) {
    if (of(r) == Act::leaves_loop) note_left(r);
    if (of(r) == Act::none || of(r) == Act::leaves_loop) continue;
    if (first < 0) first = r;
    if (of(r) != of(first)) throw_mismatch(first, r);
    ++count;
  }
  if (first < 0) return Act::none;
  count_ = count;
  first_ = first;
  return of(first);
}

void RanksWithData::throw_mismatch(int64_t one, int64_t other) {
  over_ = true;
  throw InvalidArgument(c10::str("join: all ranks with data must make the same steps, but rank ", one, " is about to ",
                                 described(of(one)), ", rank ", other, " to ", described(of(other))));
}

void RanksWithData::note_left(int64_t rank) {
  over_ = true;
  if (left_ < 0 || rank < left_) left_ = rank;
}

std::string RanksWithData::why_left(const std::string& own_reason) {
  return group_.broadcast_object(own_reason, left_);
}

void RanksWithData::check_nobody_left() {
  if (left_ < 0) return;
  throw PeerError(c10::str("rank ", group_.rank(), ": join: rank ", left_, " left the loop: ", why_left()));
}

}  // namespace tandem::distribute
