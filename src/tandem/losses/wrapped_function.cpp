#include "tandem/losses/wrapped_function.h"

namespace tandem {

std::pair<std::string, Config> wrapped_function(const Config& config) {
  const Config& function = config.at("fn");
  Config rest = Config::object();
  for (const auto& [name, value] : config.as_object()) {
    if (name != "fn") rest.set(name, value);
  }
  return {(function.is_string() ? function : function.at("config")).as_string(), std::move(rest)};
}

}  // namespace tandem
