#pragma once
#include "tandem/schedule/instruction.h"

namespace tandem::schedule {

/// 1f1b over several chunks of the model a stage, which makes the bubble as many times shorter and the transfers as
/// many times more (Narayanan et al. 2021). Micro batches go in groups of as many as there are stages: InvalidArgument
/// unless the stages divide them.
Instructions interleaved(int64_t stage, const Division& division);

}  // namespace tandem::schedule
