#pragma once
#include "tandem/core/config.h"
#include "tandem/layers/layer.h"

namespace tandem {

/// `layer` as keras.saving.serialize_keras_object writes it: {"module", "class_name", "config", "registered_name",
/// "build_config", "compile_config"}, the last two where Keras has them. A layer of the program's own is written under
/// the name that register_layer gave it. Throws InvalidArgument naming what has no config (a callable).
Config layer_to_config(const Layer& layer);

}  // namespace tandem
