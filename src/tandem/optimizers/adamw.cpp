#include "tandem/optimizers/adamw.h"

#include "tandem/core/error.h"
#include "tandem/optimizers/adam_optimizer.h"

namespace tandem::optimizers {

AdamW::AdamW(AdamWOptions options)
    : Handle(make_adam("AdamW", "adam_w",
                       {.learning_rate = options.learning_rate,
                        .beta_1 = options.beta_1,
                        .beta_2 = options.beta_2,
                        .epsilon = options.epsilon,
                        .amsgrad = options.amsgrad,
                        .weight_decay = options.weight_decay,
                        .clipnorm = options.clipnorm,
                        .clipvalue = options.clipvalue,
                        .global_clipnorm = options.global_clipnorm,
                        .use_ema = options.use_ema,
                        .ema_momentum = options.ema_momentum,
                        .ema_overwrite_frequency = options.ema_overwrite_frequency,
                        .loss_scale_factor = options.loss_scale_factor,
                        .gradient_accumulation_steps = options.gradient_accumulation_steps})) {}

AdamW AdamW::from_config(const Config& config) {
  ConfigReader reader("AdamW", config);
  if (reader.has_null("weight_decay")) throw InvalidArgument("AdamW: weight_decay must be a number, got null");
  AdamWOptions options;
  read_common(reader, options);
  read_adam(reader, options);
  reader.finish();
  return AdamW(options);
}

}  // namespace tandem::optimizers
