#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tandem/core/config.h"

namespace tandem {

/// Reads an object's serialised settings one by one and refuses those that nobody asked for, so that none is dropped
/// silently. A member that is missing or null gives the fallback.
class ConfigReader {
 public:
  /// `where` names the object in errors. `config` must outlive the reader. Throws DataError when it is no object.
  ConfigReader(std::string where, const Config& config);

  /// Each throws DataError naming the object and `key` when the value is of another kind.
  bool flag(const std::string& key, bool fallback);
  double number(const std::string& key, double fallback);
  int64_t integer(const std::string& key, int64_t fallback);
  std::optional<int64_t> optional_integer(const std::string& key);
  std::string text(const std::string& key, const std::string& fallback);

  /// Throws InvalidArgument naming the first member that is not null and was not read.
  void finish() const;

 private:
  const Config* find(const std::string& key);
  std::string where_;
  const Config& config_;
  std::vector<std::string> read_;
};

/// The function in a config of Keras's LossFunctionWrapper or MeanMetricWrapper, by name, and the other settings.
/// Throws DataError when there is none.
std::pair<std::string, Config> wrapped_function(const Config& config);

}  // namespace tandem
