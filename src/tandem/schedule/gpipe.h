#pragma once
#include "tandem/schedule/instruction.h"

namespace tandem::schedule {

/// All forwards, then all backwards, the last micro batch first (Huang et al. 2019). Each stage keeps the activations
/// of all micro batches. With several chunks each goes over all stages before the next one.
Instructions gpipe(int64_t stage, const Division& division);

}  // namespace tandem::schedule
