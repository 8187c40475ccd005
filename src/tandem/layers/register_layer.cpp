#include "tandem/layers/register_layer.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "tandem/core/error.h"

namespace tandem {
namespace {

std::mutex types_mutex;
std::map<std::type_index, std::string>& names_of_types() {
  static std::map<std::type_index, std::string> names;
  return names;
}

}  // namespace

void register_layer(const std::string& name, LayerFromConfig from_config) {
  layer_registry().add(name, std::move(from_config));
}

void register_layer_type(std::type_index type, const std::string& name, LayerFromConfig from_config) {
  const std::lock_guard lock(types_mutex);
  if (const auto known = names_of_types().find(type); known != names_of_types().end())
    throw InvalidArgument(
        c10::str("register: the class of layer '", name, "' was added before as '", known->second, "'"));
  layer_registry().add(name, std::move(from_config));
  names_of_types()[type] = name.find('>') == std::string::npos ? "Custom>" + name : name;
}

std::string registered_layer_name(const Layer& layer) {
  {
    const std::lock_guard lock(types_mutex);
    if (const auto known = names_of_types().find(typeid(layer)); known != names_of_types().end()) return known->second;
  }
  const auto ours = layer_class_names();
  const auto name = layer.class_name();
  return std::find(ours.begin(), ours.end(), name) == ours.end() ? layer_registry().full_name(name) : std::string();
}

void check_no_settings(const Config& config, const std::string& name) {
  for (const auto& [key, value] : config.as_object()) {
    if (key == "name" || key == "trainable" || key == "dtype" || value.is_null()) continue;
    throw DataError(c10::str("layer '", name, "': its config has '", key,
                             "', but its class has neither from_config nor a constructor from a Config to read it"));
  }
}

}  // namespace tandem
