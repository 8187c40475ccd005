#pragma once
#include <memory>
#include <string>

#include "tandem/optimizers/adam.h"
#include "tandem/optimizers/settings.h"

namespace tandem::optimizers {

/// Adam's rule with decoupled weight decay under the name of one of its variants: class name "AdamW", name in configs
/// "adam_w". Throws InvalidArgument in the name of the class on settings out of range.
std::shared_ptr<Optimizer> make_adam(const std::string& class_name, const std::string& name,
                                     const AdamOptions& options);

/// Reads the settings that Adam has beside the common ones.
template <class Options>
void read_adam(ConfigReader& reader, Options& options) {
  reader.read("beta_1", options.beta_1)
      .read("beta_2", options.beta_2)
      .read("epsilon", options.epsilon)
      .read("amsgrad", options.amsgrad);
}

}  // namespace tandem::optimizers
