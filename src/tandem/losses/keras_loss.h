#pragma once
#include <string>

#include "tandem/losses/loss.h"

namespace tandem {

/// What the losses of Keras have in common: names, reduction, and a config of these and their own settings.
class KerasLoss : public Loss {
 public:
  std::string class_name() const final { return class_name_; }
  Reduction reduction() const override;
  Config get_config() const final;

 protected:
  /// `name` is Keras's default name, `settings` follow in the config. Throws InvalidArgument on a reduction that is not
  /// "sum_over_batch_size", "mean" or "sum".
  KerasLoss(std::string class_name, std::string name, std::string reduction, Config settings = Config::object());

 private:
  std::string class_name_, name_, reduction_;
  Config settings_;
};

}  // namespace tandem
