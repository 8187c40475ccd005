#include "tandem/cluster/environment.h"

#include <c10/util/StringUtil.h>

#include <cstdlib>

#include "tandem/cluster/whole_number.h"
#include "tandem/core/error.h"

namespace tandem::cluster {

std::optional<std::string> Environment::get(const std::string& name) const {
  if (is_own_) {
    const char* value = std::getenv(name.c_str());
    return value && *value ? std::optional<std::string>(value) : std::nullopt;
  }
  const auto found = variables_.find(name);
  return found != variables_.end() && !found->second.empty() ? std::optional(found->second) : std::nullopt;
}

std::optional<int64_t> Environment::number(const std::string& name) const {
  const auto text = get(name);
  return text ? std::optional(whole_number(*text, name)) : std::nullopt;
}

int64_t Environment::needed_number(const std::string& name, const std::string& because) const {
  const auto value = number(name);
  if (!value) throw InvalidArgument(c10::str(name, ": must be set where ", because, " is"));
  return *value;
}

}  // namespace tandem::cluster
