#pragma once
#include <string>
#include <vector>

#include "tandem/core/config.h"
#include "tandem/layers/layer_handle.h"

namespace tandem {

/// A layer from Keras's class name ("Conv2D") and config; "name" and "trainable" of the config are applied. Not built.
/// Throws InvalidArgument on an unknown class, proposing the nearest, and DataError on a config that lacks what the
/// layer needs.
LayerHandle layer_from_config(const std::string& class_name, const Config& config);

/// The class names that layer_from_config knows.
std::vector<std::string> layer_class_names();

}  // namespace tandem
