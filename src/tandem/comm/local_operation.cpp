#include "tandem/comm/local_operation.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <cstring>

#include "tandem/comm/local_steps.h"
#include "tandem/core/steady_seconds.h"

namespace tandem::comm {
namespace {

constexpr uint64_t kExplained = 1;  // the only step of calls that do not fit together

}  // namespace

void LocalOperation::start(LocalRoom& room, LocalSlots& slots, int64_t rank, uint64_t number, Brought brought) {
  room_ = &room;
  slot_ = &slots.of(number);
  rank_ = rank;
  number_ = number;
  target_ = slots.target(number, room.ranks());
  step_ = 0;
  brought_ = std::move(brought);
  state_ = State::arriving;
  finished_ = false;
  mismatch_.clear();
  const auto chosen = choose_steps(brought_, room.ranks());
  steps_ = chosen.steps;

  auto& entry = mine();
  const auto& data = brought_.data;
  entry.data = data.defined() ? data.const_data_ptr() : nullptr;
  entry.result = brought_.result.defined() ? brought_.result.mutable_data_ptr() : nullptr;
  entry.count = data.defined() ? data.numel() : 0;
  entry.type = data.defined() ? data.scalar_type() : at::kByte;
  entry.wants_result = brought_.options.wants_result;
  entry.signature = signature_of(brought_);
  if (chosen.staged && entry.count > 0 && (brought_.kind != Collective::broadcast || rank == brought_.root))
    std::memcpy(entry.staged, entry.data, static_cast<std::size_t>(bytes_brought()));
  entry.next_chunk.store(0, std::memory_order_relaxed);
  entry.finished_chunks.store(0, std::memory_order_relaxed);
  entry.started = steady_seconds();
  times_ = {.started = entry.started};
  reach(0);
  if (slot_->arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == target_) room.ring_others(rank);
}

bool LocalOperation::advance(bool help) {
  if (finished_) return true;
  if (room_->hub().failed()) return false;
  if (state_ == State::arriving) {
    if (!all_arrived()) return false;
    state_ = fits() ? State::moving : State::explaining;
    if (state_ == State::explaining) {
      mine().call = call_of(brought_);
      mine().described = describe(brought_);
      reach(kExplained);
      room_->ring_others(rank_);
    }
  }
  if (state_ == State::explaining ? !all_explained() : !steps_->advance(*this, help)) return false;
  finish();
  return true;
}

void LocalOperation::forget() {
  brought_ = {};
  finished_ = true;
}

std::string LocalOperation::late() const {
  const std::string what = brought_.options.what;
  return call_of(brought_) + (what.empty() ? "" : " of " + what) + room_->for_ranks([&](int64_t r) {
    return state_ == State::arriving ? !reached(r, 0) : r != rank_ && !reached(r, kFinishedStep);
  });
}

bool LocalOperation::reached(int64_t rank, uint64_t step) const {
  return entry(rank).progress.load(std::memory_order_acquire) >= progress_mark(number_, step);
}

void LocalOperation::reach(uint64_t step) {
  step_ = step;
  mine().progress.store(progress_mark(number_, step), std::memory_order_release);
}

bool LocalOperation::fits() const {
  const auto& entries = slot_->entries;
  return std::all_of(entries.begin(), entries.end(),
                     [&](const LocalEntry& entry) { return entry.signature == entries.front().signature; });
}

bool LocalOperation::all_explained() {
  for (int64_t r = 0; r < ranks(); ++r) {
    if (!reached(r, kExplained)) return false;
  }
  int64_t r = 0;  // not all signatures are equal, so one differs from this rank's
  while (entry(r).signature == mine().signature) ++r;
  const auto& other = entry(r);
  const auto& own = mine();
  mismatch_ = mismatch_of(rank_, own.call, own.described, r, other.call, other.described);
  return true;
}

void LocalOperation::finish() {
  for (const auto& entry : slot_->entries) times_.all_here = std::max(times_.all_here, entry.started);
  bytes_ = mismatch_.empty() ? steps_->bytes(*this) : 0;
  times_.finished = steady_seconds();
  forget();
  reach(kFinishedStep);
  // Counters only grow, so what does not need this one keeps it in step.
  if (!steps_->counts || !mismatch_.empty()) slot_->reduced.fetch_add(1, std::memory_order_relaxed);
  if (slot_->done.fetch_add(1) + 1 == target_ && room_->waiting_for_slot.load() > 0) room_->ring_others(rank_);
}

}  // namespace tandem::comm
