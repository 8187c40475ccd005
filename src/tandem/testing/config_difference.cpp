#include "tandem/testing/config_difference.h"

namespace tandem::testing {

std::string config_difference(const Config& got, const Config& want, const std::string& path) {
  if (got.is_object() && want.is_object()) {
    for (const auto& [key, value] : want.as_object()) {
      if (!got.contains(key)) return path + " has no " + key;
      if (auto found = config_difference(got.at(key), value, path + "." + key); !found.empty()) return found;
    }
    for (const auto& [key, value] : got.as_object()) {
      if (!want.contains(key)) return path + " has also " + key;
    }
    return "";
  }
  if (got.is_list() && want.is_list() && got.as_list().size() == want.as_list().size()) {
    for (std::size_t i = 0; i < want.as_list().size(); ++i) {
      auto found = config_difference(got.as_list()[i], want.as_list()[i], path + "[" + std::to_string(i) + "]");
      if (!found.empty()) return found;
    }
    return "";
  }
  return got == want ? "" : path + " is " + got.to_json() + ", must be " + want.to_json();
}

}  // namespace tandem::testing
