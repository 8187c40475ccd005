#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tandem/core/config.h"
#include "tandem/optimizers/learning_rate.h"

namespace tandem {

/// Reads the members of a config that Keras wrote into options, one by one. `read` leaves an option as it is where the
/// member is missing or null; `require` throws DataError then. A value of another kind is a DataError naming the
/// member.
class SettingsReader {
 public:
  /// `where` names the optimizer or schedule in errors; `config` must outlive the reader and be an object, or null for
  /// an empty one.
  SettingsReader(std::string where, const Config& config);

  template <class T>
  SettingsReader& read(const char* key, T& value) {
    if (const Config* member = find(key)) take(key, *member, value);
    return *this;
  }
  template <class T>
  SettingsReader& require(const char* key, T& value) {
    take(key, required(key), value);
    return *this;
  }
  /// A member that changes nothing here.
  SettingsReader& ignore(const char* key);
  /// A member for what is not supported: throws InvalidArgument unless it is missing, null, false or `neutral`.
  SettingsReader& refuse(const char* key, double neutral);
  /// Throws InvalidArgument naming a member that nobody asked for, and the nearest known.
  void finish() const;

 private:
  /// The member, or nullptr when it is missing or null.
  const Config* find(const char* key);
  const Config& required(const char* key);
  void take(const char* key, const Config& member, double& value) const;
  void take(const char* key, const Config& member, std::optional<double>& value) const;
  void take(const char* key, const Config& member, int64_t& value) const;
  void take(const char* key, const Config& member, bool& value) const;
  void take(const char* key, const Config& member, std::string& value) const;
  void take(const char* key, const Config& member, std::vector<int64_t>& value) const;
  void take(const char* key, const Config& member, std::vector<double>& value) const;
  void take(const char* key, const Config& member, LearningRate& value) const;

  std::string where_;
  const Config& config_;
  std::vector<std::string> known_;
};

/// Reads what all optimizers of Keras have.
template <class Options>
void read_common(SettingsReader& reader, Options& options) {
  reader.ignore("name")
      .read("learning_rate", options.learning_rate)
      .read("weight_decay", options.weight_decay)
      .read("clipnorm", options.clipnorm)
      .read("clipvalue", options.clipvalue)
      .read("global_clipnorm", options.global_clipnorm)
      .refuse("use_ema", 0)
      .ignore("ema_momentum")  // both say how use_ema works
      .ignore("ema_overwrite_frequency")
      .refuse("loss_scale_factor", 1)
      .refuse("gradient_accumulation_steps", 1)
      .refuse("decay", 0)  // Keras 2 wrote these three
      .ignore("jit_compile")
      .ignore("is_legacy_optimizer");
}

}  // namespace tandem
