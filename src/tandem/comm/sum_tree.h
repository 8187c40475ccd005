#pragma once
#include <c10/core/ScalarType.h>

#include <cstdint>

#include "tandem/comm/slices.h"

namespace tandem::comm {

/// Adds up elements `span` of the addends along one balanced binary tree and writes the sum to all results: ranks
/// [first, last) are split after the first ceil((last - first) / 2) of them, each half is added up, and then the two
/// sums. So an element's sum depends on the addends and their number alone. For 1, 2, 4 and 8 ranks it is the order of
/// recursive doubling. half and bfloat16 are rounded after each addition.
///
/// `addends` (count) and `results` (result_count, may be 0) point to the tensors' first elements. A result may be one
/// of the addends.
void sum_along_tree(c10::ScalarType type, const void* const* addends, int64_t count, void* const* results,
                    int64_t result_count, Span span);

/// Throws InvalidArgument, beginning with `where`, for types that sum_along_tree does not add up.
void check_adds_up(c10::ScalarType type, const char* where);

}  // namespace tandem::comm
