#include "tandem/saving/config_code.h"

#include <c10/util/StringUtil.h>

#include "tandem/network/config_place.h"

namespace tandem::saving {
namespace {

bool has_text(const Config& object, const char* key, const char* text) {
  return object.is_object() && object.get(key, {}) == Config(text);
}

// Marshalled code as Keras 3 writes it, and as Keras 2 does.
bool holds_code(const Config& value) {
  if (has_text(value, "class_name", "__lambda__") || has_text(value, "function_type", "lambda")) return true;
  if (value.is_list()) {
    for (const auto& item : value.as_list()) {
      if (holds_code(item)) return true;
    }
  } else if (value.is_object()) {
    for (const auto& [key, member] : value.as_object()) {
      if (holds_code(member)) return true;
    }
  }
  return false;
}

const Config* layers_of(const Config& entry) {
  if (!entry.is_object() || !entry.contains("config")) return nullptr;
  const Config& config = entry.at("config");
  if (config.is_list()) return &config;  // a Sequential before Keras 2.2.3
  if (!config.is_object() || !config.contains("layers")) return nullptr;
  const Config& layers = config.at("layers");
  return layers.is_list() ? &layers : nullptr;
}

std::string place_of_layer(std::size_t i, const Config& entry) {
  const Config config = entry.is_object() ? entry.get("config", {}) : Config();
  const Config name = config.is_object() ? config.get("name", {}) : Config();
  return name.is_string() ? c10::str("layers[", i, "] '", name.as_string(), "'") : c10::str("layers[", i, "]");
}

void check(const Config& entry, const ConfigPlace& place) {
  if (const Config* layers = layers_of(entry)) {
    for (std::size_t i = 0; i < layers->as_list().size(); ++i) {
      const Config& layer = layers->as_list()[i];
      check(layer, place.part(place_of_layer(i, layer)));
    }
    return;
  }
  if (holds_code(entry)) {
    place.fail(
        "holds Python code, which is never run; write it as a layer of your own that register_layer names, and save "
        "the model with that");
  }
}

}  // namespace

void refuse_code(const Config& entry) { check(entry, ConfigPlace()); }

}  // namespace tandem::saving
