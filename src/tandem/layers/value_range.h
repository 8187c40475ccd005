#pragma once
#include <array>
#include <string>

#include "tandem/core/config.h"

/// The least and the largest value of images, for layers that change colours.
namespace tandem {

/// Throws InvalidArgument naming `layer` unless the first is below the second.
void check_value_range(const std::string& layer, const std::array<double, 2>& range);
/// From a config's member "value_range"; [0, 255] where it is missing. Throws DataError on other content than two
/// numbers.
std::array<double, 2> value_range_from(const Config& config);

}  // namespace tandem
