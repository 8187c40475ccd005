#include "tandem/losses/config_reader.h"

#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"

namespace tandem {
namespace {

/// The value in the form that `read` takes it; errors name the object and the key.
template <class Read>
auto read_as(const Config& value, const std::string& where, const std::string& key, Read read) {
  try {
    return read(value);
  } catch (const DataError& error) {
    throw DataError(c10::str(where, ": ", key, ": ", error.what()));
  }
}

}  // namespace

ConfigReader::ConfigReader(std::string where, const Config& config) : where_(std::move(where)), config_(config) {
  if (!config.is_object()) throw DataError(c10::str(where_, ": its config must be an object, got ", config.to_json()));
}

const Config* ConfigReader::find(const std::string& key) {
  read_.push_back(key);
  for (const auto& [name, value] : config_.as_object()) {
    if (name == key && !value.is_null()) return &value;
  }
  return nullptr;
}

bool ConfigReader::flag(const std::string& key, bool fallback) {
  const Config* value = find(key);
  return value ? read_as(*value, where_, key, [](const Config& v) { return v.as_bool(); }) : fallback;
}

double ConfigReader::number(const std::string& key, double fallback) {
  const Config* value = find(key);
  return value ? read_as(*value, where_, key, [](const Config& v) { return v.as_double(); }) : fallback;
}

int64_t ConfigReader::integer(const std::string& key, int64_t fallback) {
  return optional_integer(key).value_or(fallback);
}

std::optional<int64_t> ConfigReader::optional_integer(const std::string& key) {
  const Config* value = find(key);
  if (!value) return {};
  return read_as(*value, where_, key, [](const Config& v) { return v.as_int(); });
}

std::string ConfigReader::text(const std::string& key, const std::string& fallback) {
  const Config* value = find(key);
  return value ? read_as(*value, where_, key, [](const Config& v) { return v.as_string(); }) : fallback;
}

void ConfigReader::finish() const {
  for (const auto& [name, value] : config_.as_object()) {
    if (value.is_null() || std::find(read_.begin(), read_.end(), name) != read_.end()) continue;
    throw InvalidArgument(c10::str(where_, ": has no setting '", name, "', got ", value.to_json()));
  }
}

std::pair<std::string, Config> wrapped_function(const Config& config) {
  const Config& function = config.at("fn");
  Config rest = Config::object();
  for (const auto& [name, value] : config.as_object()) {
    if (name != "fn") rest.set(name, value);
  }
  return {(function.is_string() ? function : function.at("config")).as_string(), std::move(rest)};
}

}  // namespace tandem
