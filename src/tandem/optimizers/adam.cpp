#include "tandem/optimizers/adam.h"

#include "tandem/optimizers/adam_optimizer.h"

namespace tandem::optimizers {

Adam::Adam(AdamOptions options) : Handle(make_adam("Adam", "adam", options)) {}

Adam Adam::from_config(const Config& config) {
  ConfigReader reader("Adam", config);
  AdamOptions options;
  read_common(reader, options);
  read_adam(reader, options);
  reader.finish();
  return Adam(options);
}

}  // namespace tandem::optimizers
