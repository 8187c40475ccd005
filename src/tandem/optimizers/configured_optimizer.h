#pragma once
#include <span>
#include <string>
#include <vector>

#include "tandem/optimizers/optimizer.h"

namespace tandem {

/// What Keras's optimizers have in common.
struct CommonSettings {
  std::string class_name;  // "RMSprop"
  std::string name;        // in configs, as Keras names it: "rm_sprop"
  LearningRate learning_rate;
  double weight_decay;
  Clipping clipping;
  std::vector<std::string> slots;
};

template <class Options>
CommonSettings common_settings(const std::string& class_name, const std::string& name, const Options& options,
                               std::vector<std::string> slots) {
  return {class_name,
          name,
          options.learning_rate,
          options.weight_decay,
          {options.clipnorm, options.clipvalue, options.global_clipnorm},
          std::move(slots)};
}

/// An optimizer that knows its common settings.
class ConfiguredOptimizer : public Optimizer {
 public:
  /// Throws InvalidArgument on a rate, weight decay or clipping out of range.
  explicit ConfiguredOptimizer(CommonSettings settings);

  std::vector<std::string> slots() const final { return settings_.slots; }
  std::string class_name() const final { return settings_.class_name; }
  /// The common part; a rule adds its own settings.
  Config get_config() const override;

 protected:
  double weight_decay() const { return settings_.weight_decay; }
  /// Throws InternalError unless `slots` are as many as are named.
  void check_slots(std::span<Tensor> slots) const;

 private:
  CommonSettings settings_;
};

}  // namespace tandem
