#pragma once
#include <cstdint>
#include <memory>

#include "tandem/comm/communicator.h"

namespace tandem::distribute {

/// Where a rank stands in replicas x stages, replicas outermost: rank r is stage r % stages of replica r / stages.
struct PipelineSeat {
  int64_t replica = 0, stage = 0;
  static PipelineSeat of(int64_t rank, int64_t stages) { return {rank / stages, rank % stages}; }
};

/// How one stage of one replica speaks with the others: along its pipeline, and with the same stage of other replicas.
class PipelineRank {
 public:
  /// Collective over all ranks, `stages` x replicas. `all` must outlive this.
  PipelineRank(comm::Communicator& all, int64_t stages);

  const PipelineSeat& seat() const { return seat_; }
  int64_t replicas() const { return replicas_; }
  /// Rank = stage.
  comm::Communicator& pipe() { return pipe_ ? *pipe_ : all_; }
  /// Rank = replica; null where there is one replica.
  comm::Communicator* data() { return replicas_ == 1 ? nullptr : data_ ? data_.get() : &all_; }

  int64_t bytes_sent() const;
  double seconds_waiting() const;
  double seconds_moving() const;

 private:
  template <class Of>
  auto sum(const Of& of) const;

  comm::Communicator& all_;
  const PipelineSeat seat_;
  const int64_t replicas_;
  std::unique_ptr<comm::Communicator> pipe_, data_;  // null: all ranks, or this one alone
};

}  // namespace tandem::distribute
