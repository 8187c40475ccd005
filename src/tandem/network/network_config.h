#pragma once
#include <memory>
#include <string>

#include "tandem/core/config.h"
#include "tandem/network/network.h"

namespace tandem {

/// A network from Keras's class name ("Functional", "Sequential", "Model", or a registered class of the program's own)
/// and config, as Keras 3 writes it and, in .h5 files, Keras 2: shared layers, models within models, names, and what is
/// frozen. Weights are newly drawn. Throws DataError that names the place in the config: an unknown class (proposing
/// the nearest), a setting that cannot be kept, layers that call each other in a circle, references to nothing.
std::shared_ptr<Network> network_from_config(const std::string& class_name, const Config& config);

/// {"module", "class_name", "config", "registered_name", "build_config", "compile_config"}, as keras.Model.to_json. The
/// compile settings are empty: a network knows none. Throws InvalidArgument naming a layer that has no config.
std::string network_to_json(const Network& network);

/// From such an object; one that was built for a shape is built for it again.
std::shared_ptr<Network> network_from_model_config(const Config& entry);

/// What network_to_json or Keras's to_json wrote. Throws DataError as network_from_config, and on malformed text.
std::shared_ptr<Network> network_from_json(const std::string& text);

}  // namespace tandem
