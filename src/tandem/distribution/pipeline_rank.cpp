#include "tandem/distribution/pipeline_rank.h"

#include <vector>

namespace tandem::distribute {

PipelineRank::PipelineRank(comm::Communicator& all, int64_t stages)
    : all_(all), seat_(PipelineSeat::of(all.rank(), stages)), replicas_(all.world_size() / stages) {
  if (replicas_ == 1 || stages == 1) return;  // one kind of neighbours: all there are
  std::vector<int64_t> pipe, data;
  for (int64_t s = 0; s < stages; ++s) pipe.push_back(seat_.replica * stages + s);
  for (int64_t r = 0; r < replicas_; ++r) data.push_back(r * stages + seat_.stage);
  pipe_ = all.subgroup(pipe);
  data_ = all.subgroup(data);
}

template <class Of>
auto PipelineRank::sum(const Of& of) const {
  auto all = of(all_);
  for (const auto* more : {pipe_.get(), data_.get()}) {
    if (more) all += of(*more);
  }
  return all;
}

int64_t PipelineRank::bytes_sent() const {
  return sum([](const comm::Communicator& one) { return one.bytes_sent(); });
}
double PipelineRank::seconds_waiting() const {
  return sum([](const comm::Communicator& one) { return one.seconds_waiting(); });
}
double PipelineRank::seconds_moving() const {
  return sum([](const comm::Communicator& one) { return one.seconds_moving(); });
}

}  // namespace tandem::distribute
