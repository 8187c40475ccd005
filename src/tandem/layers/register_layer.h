#pragma once
#include <string>
#include <type_traits>
#include <typeindex>
#include <utility>

#include "tandem/core/config.h"
#include "tandem/layers/catalog.h"
#include "tandem/layers/layer_handle.h"

namespace tandem {

/// Makes a layer of a program's own known to saved models, as keras.saving.register_keras_serializable does. `name` is
/// the class's name in files, "Scale" (in Keras's package "Custom") or "my_package>Scale"; `from_config` gets what the
/// layer's get_config returned, with "name", "trainable" and "dtype". Call it once, before files are read; nothing is
/// registered by itself. Thread-safe. Throws InvalidArgument on a name that was registered before.
void register_layer(const std::string& name, LayerFromConfig from_config);

/// As above for the layers of one C++ class, which are then also written under that name whatever the class is called.
void register_layer_type(std::type_index type, const std::string& name, LayerFromConfig from_config);

/// "Package>Name" under which files know `layer`; empty for one that comes with Tandem or that nobody registered.
std::string registered_layer_name(const Layer& layer);

/// Throws DataError naming a setting other than those of every layer: for layers that are made without arguments.
void check_no_settings(const Config& config, const std::string& name);

/// A layer of class L by `L::from_config(config)` (a handle or a pointer), else by its constructor from a Config, else
/// by the one without arguments.
template <class L>
LayerHandle custom_layer_from_config(const Config& config) {
  if constexpr (requires { LayerHandle(L::from_config(config)); }) {
    return LayerHandle(L::from_config(config));
  } else if constexpr (std::is_constructible_v<L, const Config&>) {
    return make_layer<L>(config);
  } else {
    static_assert(std::is_default_constructible_v<L>,
                  "register_layer<L>: L needs a static from_config, a constructor from const Config& or one without "
                  "arguments; or give a function");
    LayerOf<L> layer = make_layer<L>();
    check_no_settings(config, layer->class_name());
    return layer;
  }
}

/// `register_layer<Scale>("Scale")`, or with a function: `register_layer<Scale>("Scale", [](const Config& config) {
/// return make_layer<Scale>(config.at("factor").as_double()); })`.
template <class L>
void register_layer(const std::string& name, LayerFromConfig from_config = custom_layer_from_config<L>) {
  register_layer_type(typeid(L), name, std::move(from_config));
}

}  // namespace tandem
