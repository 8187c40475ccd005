#include "tandem/layers/weight_config.h"

#include "tandem/layers/serialization.h"

namespace tandem {

void add_weight_config(Config& config, const std::string& weight, const WeightOptions& options) {
  config.set(weight + "_initializer", to_config(options.initializer));
  config.set(weight + "_regularizer", to_config(options.regularizer));
  config.set(weight + "_constraint", to_config(options.constraint));
}

WeightOptions weight_options_from(const Config& config, const std::string& weight, const char* initializer) {
  return {.initializer = initializer_from(config, weight + "_initializer", initializer),
          .regularizer = regularizer_from(config, weight + "_regularizer"),
          .constraint = constraint_from(config, weight + "_constraint")};
}

}  // namespace tandem
