#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace tandem::cluster {

/// The environment variables that say who this process is: the process's own, or given ones.
class Environment {
 public:
  /// The process's own.
  Environment() = default;
  explicit Environment(std::map<std::string, std::string> variables)
      : is_own_(false), variables_(std::move(variables)) {}

  /// The value of a variable; none where it is not set, or empty.
  std::optional<std::string> get(const std::string& name) const;
  bool has(const std::string& name) const { return get(name).has_value(); }
  /// A whole number of at least 0. Throws InvalidArgument, naming the variable and its value, on other text.
  std::optional<int64_t> number(const std::string& name) const;
  /// As number; throws InvalidArgument, naming it and `because`, a variable that needs it, where it is not set.
  int64_t needed_number(const std::string& name, const std::string& because) const;

 private:
  bool is_own_ = true;
  std::map<std::string, std::string> variables_;
};

}  // namespace tandem::cluster
