#pragma once
#include <algorithm>
#include <cstdint>

namespace tandem::kernels {

/// How many rows of a recurrent cell's step are worth handing to another thread.
inline int64_t recurrent_grain(int64_t units) { return std::max<int64_t>(1, 8192 / units); }

}  // namespace tandem::kernels
