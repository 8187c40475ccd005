#include "tandem/comm/local_steps.h"

namespace tandem::comm {

const LocalSteps kNothing = {[](LocalOperation&, bool) { return true; },
                             [](const LocalOperation&) { return int64_t{0}; }};

ChosenSteps choose_steps(const Brought& brought, int64_t ranks) {
  const bool small = brought.data.defined() && static_cast<int64_t>(brought.data.nbytes()) <= LocalSlots::kStagedBytes;
  switch (brought.kind) {
    case Collective::all_reduce:
      if (ranks == 1) return {&kNothing, false};
      if (brought.options.algorithm == Algorithm::ring) return {&kRingReduce, false};
      if (brought.options.algorithm == Algorithm::tree) return {&kTreeReduce, false};
      // Automatic is direct: among threads nothing reads and writes less or waits for less, whatever size or number of
      // ranks (benchmarks/all_reduce).
      return small ? ChosenSteps{&kStagedReduce, true} : ChosenSteps{&kDirectReduce, false};
    case Collective::reduce_scatter:
      return {&kReduceScatter, false};
    case Collective::all_gather:
      return small ? ChosenSteps{&kStagedGather, true} : ChosenSteps{&kAllGather, false};
    case Collective::broadcast:
      return small ? ChosenSteps{&kStagedBroadcast, true} : ChosenSteps{&kBroadcast, false};
    case Collective::barrier:
      break;
  }
  return {&kNothing, false};
}

}  // namespace tandem::comm
