#include "tandem/layers/serialization.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"

namespace tandem {
namespace {

Config object_config(const char* module, const std::string& class_name, Config config) {
  return Config::object(
      {{"module", module}, {"class_name", class_name}, {"config", std::move(config)}, {"registered_name", {}}});
}

/// The object behind a name or a serialised object.
template <class T>
Handle<T> object_from(const Config& value) {
  if (value.is_string()) return T::make(value.as_string());
  return T::make(value.at("class_name").as_string(), value.get("config", Config::object()));
}

}  // namespace

Config to_config(const Handle<Initializer>& initializer) {
  const auto object = initializer.get();
  return object_config("keras.initializers", object->class_name(), object->get_config());
}

Config to_config(const Handle<Regularizer>& regularizer) {
  if (regularizer.empty()) return {};
  const auto object = regularizer.get();
  return object_config("keras.regularizers", object->class_name(), object->get_config());
}

Config to_config(const Handle<Constraint>& constraint) {
  if (constraint.empty()) return {};
  const auto object = constraint.get();
  return object_config("keras.constraints", object->class_name(), object->get_config());
}

Config to_config(const ActivationFunction& activation, const std::string& layer) {
  if (activation.is_linear()) return "linear";
  if (activation.name().empty()) {
    throw InvalidArgument(layer + ": an activation that is a callable has no config; give its name to save the layer");
  }
  return activation.name();
}

Handle<Initializer> initializer_from(const Config& config, const std::string& key,
                                     const Handle<Initializer>& fallback) {
  const Config value = config.get(key, {});
  return value.is_null() ? fallback : object_from<Initializer>(value);
}

Handle<Regularizer> regularizer_from(const Config& config, const std::string& key) {
  const Config value = config.get(key, {});
  return value.is_null() ? Handle<Regularizer>() : object_from<Regularizer>(value);
}

Handle<Constraint> constraint_from(const Config& config, const std::string& key) {
  const Config value = config.get(key, {});
  return value.is_null() ? Handle<Constraint>() : object_from<Constraint>(value);
}

ActivationFunction activation_from(const Config& config, const std::string& key) {
  const Config value = config.get(key, {});
  if (value.is_null()) return {};
  ActivationFunction activation = value.as_string();
  activation.check();
  return activation;
}

std::vector<int64_t> size_numbers_from(const Config& config, const std::string& key, std::size_t rank) {
  const Config value = config.get(key, {});
  if (value.is_null()) return {};
  if (!value.is_list()) return {value.as_int()};
  auto numbers = value.as_ints();
  if (numbers.size() != rank) {
    throw DataError(c10::str("config: ", key, " must be ", numbers_of_a_size(rank), " whole number",
                             rank == 1 ? "" : "s", ", got ", value.shown()));
  }
  return numbers;
}

void refuse_settings(const Config& config, const std::string& layer, std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    const Config value = config.get(key, {});
    if (value.is_null() || (value.is_bool() && !value.as_bool())) continue;
    throw InvalidArgument(c10::str(layer, ": ", key, " is not supported and must be null, got ", value.shown()));
  }
}

void check_channels_last(const Config& config, const std::string& layer) {
  const Config value = config.get("data_format", "channels_last");
  if (!value.is_null() && value.as_string() != "channels_last") {
    throw InvalidArgument(layer + ": data_format must be channels_last, got " + value.as_string());
  }
}

}  // namespace tandem
