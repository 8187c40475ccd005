#pragma once
#include "tandem/schedule/instruction.h"

namespace tandem::schedule {

/// All forwards, then all backwards (Huang et al. 2019), in the order of the micro batches, so that gradients are added
/// up as by 1f1b. Each stage keeps the activations of all micro batches. With several chunks each goes over all stages
/// before the next one.
Instructions gpipe(int64_t stage, const Division& division);

}  // namespace tandem::schedule
