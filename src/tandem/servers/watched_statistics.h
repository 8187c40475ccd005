#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "tandem/core/tensor.h"

namespace tandem::servers {

/// Where worker 0 says to the work desk what servers do not have: moving averages, for those that look on.
inline constexpr const char* kStatisticsTopic = "statistics";

/// Values of weights as bytes, and back as float64 (n,) each. Throws DataError on bytes that are none.
std::string encode_statistics(const std::vector<Tensor>& values);
std::vector<Tensor> decode_statistics(std::string_view bytes);

}  // namespace tandem::servers
