#pragma once
#include "tandem/comm/local_operation.h"

namespace tandem::comm {

extern const LocalSteps kNothing;        // but to come
extern const LocalSteps kDirectReduce;   // local_direct.cpp
extern const LocalSteps kStagedReduce;   // local_staged.cpp: data of at most LocalSlots::kStagedBytes, as direct
extern const LocalSteps kRingReduce;     // local_ring.cpp
extern const LocalSteps kTreeReduce;     // local_tree.cpp
extern const LocalSteps kReduceScatter;  // local_copies.cpp, and what follows
extern const LocalSteps kAllGather;
extern const LocalSteps kStagedGather;
extern const LocalSteps kBroadcast;
extern const LocalSteps kStagedBroadcast;

/// The steps for what was brought; whether they read the staged copy of data.
struct ChosenSteps {
  const LocalSteps* steps;
  bool staged;
};
ChosenSteps choose_steps(const Brought& brought, int64_t ranks);

}  // namespace tandem::comm
