#pragma once
#include <string>

#include "tandem/core/config.h"
#include "tandem/layers/weight.h"

/// The settings of one weight in a layer's config, under the keys <weight>_initializer, <weight>_regularizer and
/// <weight>_constraint.
namespace tandem {

void add_weight_config(Config& config, const std::string& weight, const WeightOptions& options);

/// What is missing has Keras's defaults, `initializer` among them. Throws DataError on other content, InvalidArgument
/// on unknown names.
WeightOptions weight_options_from(const Config& config, const std::string& weight, const char* initializer);

}  // namespace tandem
