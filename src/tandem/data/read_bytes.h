#pragma once
#include <cstddef>
#include <functional>

namespace tandem::data {

/// Reads up to `bytes` more of something into `to`; gives their number, fewer only at the end.
using ReadBytes = std::function<std::size_t(void* to, std::size_t bytes)>;

}  // namespace tandem::data
