#pragma once
#include <functional>
#include <string>
#include <vector>

#include "tandem/core/config.h"
#include "tandem/core/registry.h"
#include "tandem/layers/layer_handle.h"

namespace tandem {

using LayerFromConfig = std::function<LayerHandle(const Config&)>;

/// Where a class is to be looked for: kProgram leaves out the layers that come with Tandem.
enum class LayerOrigin { kAny, kProgram };

/// A layer from Keras's class name ("Conv2D"), or the name that register_layer gave it, and its config; "name" and
/// "trainable" of the config are applied. Not built. Throws InvalidArgument on an unknown class, proposing the nearest,
/// on a dtype other than float32 and on an activity_regularizer for a layer that has none; DataError on a config that
/// lacks what the layer needs.
LayerHandle layer_from_config(const std::string& class_name, const Config& config,
                              LayerOrigin origin = LayerOrigin::kAny);

/// The class names of the layers that come with Tandem.
std::vector<std::string> layer_class_names();

/// Those, and what register_layer added.
Registry<LayerFromConfig>& layer_registry();

}  // namespace tandem
