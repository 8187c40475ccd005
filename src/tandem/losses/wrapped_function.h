#pragma once
#include <string>
#include <utility>

#include "tandem/core/config.h"

namespace tandem {

/// The function in a config of Keras's LossFunctionWrapper or MeanMetricWrapper, by name, and the other settings.
/// Throws DataError when there is none.
std::pair<std::string, Config> wrapped_function(const Config& config);

}  // namespace tandem
