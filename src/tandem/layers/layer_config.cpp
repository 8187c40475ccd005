#include "tandem/layers/layer_config.h"

#include <algorithm>

#include "tandem/layers/catalog.h"
#include "tandem/layers/keras_calls.h"
#include "tandem/layers/layer_with_arguments.h"
#include "tandem/layers/operation.h"
#include "tandem/layers/register_layer.h"
#include "tandem/layers/shape_config.h"

namespace tandem {
namespace {

Config policy_config(const DTypePolicy& policy) {
  return Config::object({{"module", "keras"},
                         {"class_name", "DTypePolicy"},
                         {"config", Config::object({{"name", policy.name()}})},
                         {"registered_name", {}}});
}

// The settings with those that every layer has, in Keras's order.
Config whole_config(const Layer& layer, const std::string& class_name) {
  const Config own = layer.get_config();
  Config config = Config::object();
  if (class_name == "InputLayer") {
    for (const auto& [key, value] : own.as_object()) {
      if (key == "optional") config.set("name", layer.name());
      config.set(key, value);
    }
    return config;
  }
  config.set("name", layer.name());
  if (class_name.starts_with("SpatialDropout")) {  // Keras writes these in its own way and reads them in no other
    config.set("dtype", layer.dtype_policy().name());
  } else {
    config.set("trainable", layer.trainable());
    if (class_name != "Functional") config.set("dtype", policy_config(layer.dtype_policy()));
  }
  for (const auto& [key, value] : own.as_object()) config.set(key, value);
  return config;
}

// What it was built for; null where Keras writes nothing.
Config build_config(const Layer& layer, const std::string& class_name, const Config& config) {
  if (class_name == "Functional") return Config::object({{"input_shape", {}}});
  if (class_name == "Sequential") {
    const Config shape = config.get("build_input_shape", {});
    return shape.is_null() ? shape : Config::object({{"input_shape", shape}});
  }
  const auto& shapes = layer.build_shapes();
  if (shapes.empty() || !keras_writes_build_config(class_name)) return {};
  if (const auto* called = dynamic_cast<const LayerWithArguments*>(&layer)) {
    if (const auto names = called->build_names(); !names.empty()) {
      Config by_name = Config::object();
      for (std::size_t i = 0; i < shapes.size(); ++i) by_name.set(names.at(i), shape_to_config(shapes[i]));
      return Config::object({{"shapes_dict", std::move(by_name)}});
    }
  }
  if (shapes.size() == 1) return Config::object({{"input_shape", shape_to_config(shapes.front())}});
  Config::List list;
  for (const auto& shape : shapes) list.push_back(shape_to_config(shape));
  if (!keras_later_inputs(class_name).empty()) {
    Config::List later(list.begin() + 1, list.end());
    return Config::object({{"shapes_dict", Config::object({{"sequences_shape", std::move(list.front())},
                                                           {"initial_state_shape", std::move(later)}})}});
  }
  return Config::object({{"input_shape", std::move(list)}});
}

// Operations know less of themselves than layers do.
Config operation_to_config(const OperationLayer& operation) {
  Config config = Config::object({{"name", operation.name()}});
  const Config settings = operation.get_config();
  for (const auto& [key, value] : settings.as_object()) config.set(key, value);
  return Config::object({{"module", operation.kind().module},
                         {"class_name", operation.class_name()},
                         {"config", config},
                         {"registered_name", operation.class_name()}});
}

}  // namespace

Config layer_to_config(const Layer& layer) {
  if (const auto* operation = dynamic_cast<const OperationLayer*>(&layer)) return operation_to_config(*operation);
  const std::string name = layer.class_name(), registered = registered_layer_name(layer);
  const bool functional = name == "Functional", model = functional || name == "Sequential";
  const auto ours = layer_class_names();
  Config module, class_name = name, registered_name;
  if (!registered.empty()) {
    class_name = registered.substr(registered.find('>') + 1);
    registered_name = registered;
  } else if (functional) {
    module = "keras.src.models.functional";
    registered_name = name;
  } else if (name == "Sequential") {
    module = "keras";
  } else if (name == "InputLayer" || std::find(ours.begin(), ours.end(), name) != ours.end()) {
    module = "keras.layers";
  } else {
    registered_name = name;  // as Keras writes a class that nobody registered
  }
  const Config config = whole_config(layer, name);
  Config entry = Config::object(
      {{"module", module}, {"class_name", class_name}, {"config", config}, {"registered_name", registered_name}});
  if (Config built = build_config(layer, name, config); !built.is_null()) entry.set("build_config", std::move(built));
  if (model) entry.set("compile_config", Config::object());
  return entry;
}

}  // namespace tandem
