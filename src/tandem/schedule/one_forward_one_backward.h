#pragma once
#include "tandem/schedule/instruction.h"

namespace tandem::schedule {

/// "1f1b": as many forwards as there are stages behind, then one forward and one backward in turn (Narayanan et al.
/// 2019, flushed after each step). Stage s of p keeps the activations of p - s micro batches at most. One chunk;
/// InvalidArgument with several.
Instructions one_forward_one_backward(int64_t stage, const Division& division);

}  // namespace tandem::schedule
