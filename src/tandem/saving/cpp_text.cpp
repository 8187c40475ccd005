// Settings and layers as expressions of C++.
#include "tandem/saving/cpp_text.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "tandem/core/error.h"
#include "tandem/core/python_text.h"
#include "tandem/layers/catalog.h"
#include "tandem/layers/operation.h"
#include "tandem/layers/register_layer.h"
#include "tandem/layers/serialization.h"
#include "tandem/saving/cpp_classes.h"

namespace tandem::saving {
namespace {

struct CppSetting {
  std::string key, type;
};

std::vector<CppSetting> words_of(std::string_view words) {
  std::vector<CppSetting> settings;
  std::istringstream in{std::string(words)};
  for (std::string word; in >> word;) {
    const auto colon = word.find(':');
    settings.push_back({word.substr(0, colon), colon == std::string::npos ? "" : word.substr(colon + 1)});
  }
  return settings;
}

/// `Class(arguments, {.options})` from a config.
class Construction {
 public:
  Construction(const CppClass& row, const Config& config) : row_(row), config_(config) {}

  /// True when the config has all that the constructor must be given.
  bool has_arguments() const {
    const auto arguments = words_of(row_.arguments);
    return std::none_of(arguments.begin(), arguments.end(),
                        [&](const CppSetting& s) { return config_.get(s.key, {}).is_null(); });
  }

  /// The settings that its constructor must be given.
  Config required() const {
    Config config = Config::object();
    for (const auto& argument : words_of(row_.arguments)) config.set(argument.key, config_.at(argument.key));
    return config;
  }

  /// Empty where a setting that the row does not name is another than in `defaults`, which has what each is when it is
  /// not given.
  std::string text(const Config& defaults, const std::string& name) const {
    for (const auto& [key, value] : config_.as_object()) {
      if (!has(row_.arguments, key) && !has(row_.options, key) && value != defaults.get(key, {})) return {};
    }
    std::string arguments, fields;
    for (const auto& argument : words_of(row_.arguments))
      arguments += (arguments.empty() ? "" : ", ") + cpp_value(config_.at(argument.key), argument.type);
    const auto add_field = [&](const std::string& key, const std::string& value) {
      fields += c10::str(fields.empty() ? "" : ", ", ".", key, " = ", value);
    };
    for (const auto& option : words_of(row_.options)) {
      const Config value = config_.get(option.key, {});
      if (value != defaults.get(option.key, {})) add_field(option.key, cpp_value(value, option.type));
    }
    if (!name.empty()) add_field("name", cpp_literal(name));
    if (fields.empty()) return c10::str(row_.name, "(", arguments, ")");
    return c10::str(row_.name, "(", arguments, arguments.empty() ? "{" : ", {", fields, "})");
  }

 private:
  static bool has(std::string_view words, const std::string& key) {
    const auto settings = words_of(words);
    return std::any_of(settings.begin(), settings.end(), [&](const CppSetting& s) { return s.key == key; });
  }

  const CppClass& row_;
  const Config& config_;
};

Config defaults_of_setting(const std::string& folder, const std::string& name, const Config& required) {
  if (folder == "initializers") return Initializer::make(name, required)->get_config();
  if (folder == "regularizers") return Regularizer::make(name, required)->get_config();
  return Constraint::make(name, required)->get_config();
}

// {"module": "keras.initializers", "class_name": "HeNormal", "config": {...}}
std::string cpp_setting(const Config& object) {
  const Config module = object.get("module", {});
  const std::string folder =
      module.is_string() ? module.as_string().substr(module.as_string().rfind('.') + 1) : std::string();
  const std::string name = object.at("class_name").as_string();
  const CppClass* row = cpp_setting_class(name);
  const Config config = object.get("config", Config::object());
  std::string text;
  if (row && Construction(*row, config).has_arguments()) {
    const Construction construction(*row, config);
    text = construction.text(defaults_of_setting(folder, name, construction.required()), "");
  }
  if (text.empty()) throw InvalidArgument(c10::str("setting ", object.shown()));
  return c10::str(folder, "::", text);
}

std::string from_config_text(const Layer& layer, Config config) {
  config.set("name", layer.name());
  return c10::str("layer_from_config(", cpp_literal(layer.class_name()), ", ", cpp_config(config), ")");
}

}  // namespace

std::string cpp_literal(const std::string& text) {
  std::string literal = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      literal += '\\';
      literal += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      constexpr const char* kDigits = "01234567";
      literal += {'\\', kDigits[c / 64], kDigits[c / 8 % 8], kDigits[c % 8]};  // always three: digits may follow
    } else {
      literal += c;
    }
  }
  return literal + "\"";
}

std::string cpp_config(const Config& config) {
  return c10::str("Config::from_json(", cpp_literal(config.to_json()), ")");
}

std::string cpp_value(const Config& value, std::string_view type) {
  if (value.is_null()) return "{}";
  if (value.is_bool()) return value.as_bool() ? "true" : "false";
  if (value.is_int()) return std::to_string(value.as_int());
  if (value.is_number()) return python_text(value.as_double());
  if (value.is_string()) return cpp_literal(value.as_string());
  if (value.is_object()) return cpp_setting(value);
  std::string list;
  for (const auto& item : value.as_list())
    list += (list.empty() ? "" : ", ") + (item.is_null() ? std::string("-1") : cpp_value(item));
  return c10::str(type, "{", list, "}");
}

std::string cpp_layer(const Layer& layer) {
  const std::string kind = layer.class_name();
  const auto ours = layer_class_names();
  const auto refused = [&](const std::string& why) {
    return InvalidArgument(c10::str("layer '", layer.name(), "' (", kind, ") cannot be written as C++: ", why));
  };
  if (const auto* operation = dynamic_cast<const OperationLayer*>(&layer)) {
    Config config = operation->get_config();
    config.set("name", layer.name());
    return c10::str("operation_from_config(", cpp_literal(kind), ", ", cpp_literal(operation->kind().module), ", ",
                    cpp_config(config), ")");
  }
  if (std::find(ours.begin(), ours.end(), kind) == ours.end() || !registered_layer_name(layer).empty())
    throw refused("its class is a program's own");
  try {
    const Config config = layer.get_config();
    const CppClass* row = cpp_layer_class(kind);
    std::string text;
    if (row && Construction(*row, config).has_arguments()) {
      const Construction construction(*row, config);
      text = construction.text(layer_from_config(kind, construction.required())->get_config(), layer.name());
    }
    return text.empty() ? from_config_text(layer, config) : text;
  } catch (const Error& error) {
    throw refused(error.what());
  }
}

}  // namespace tandem::saving
