#include "tandem/zoo/recipe.h"

#include "tandem/zoo/scheduled_rate.h"

namespace tandem::zoo {

Handle<Optimizer> Recipe::make_optimizer(int64_t updates) const {
  Config config = settings;
  const auto rate = scheduled_rate(schedule, learning_rate, updates);
  if (rate.is_schedule()) {
    config.set("learning_rate", Config::object({{"class_name", rate.schedule()->class_name()},
                                                {"config", rate.schedule()->get_config()}}));
  } else {
    config.set("learning_rate", learning_rate);
  }
  return Optimizer::make(optimizer, config);
}

}  // namespace tandem::zoo
