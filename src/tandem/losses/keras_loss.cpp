#include "tandem/losses/keras_loss.h"

#include <c10/util/StringUtil.h>

namespace tandem {

KerasLoss::KerasLoss(std::string class_name, std::string name, std::string reduction, Config settings)
    : class_name_(std::move(class_name)),
      name_(std::move(name)),
      reduction_(std::move(reduction)),
      settings_(std::move(settings)) {
  if (reduction_ != "sum_over_batch_size" && reduction_ != "mean" && reduction_ != "sum") {
    throw InvalidArgument(c10::str(class_name_,
                                   ": reduction must be 'sum_over_batch_size', 'mean' or 'sum' for training, got '",
                                   reduction_, "'"));
  }
}

Reduction KerasLoss::reduction() const { return reduction_ == "sum" ? Reduction::kSum : Reduction::kSumOverBatchSize; }

Config KerasLoss::get_config() const {
  Config config = Config::object({{"name", name_}, {"reduction", reduction_}});
  for (const auto& [key, value] : settings_.as_object()) config.set(key, value);
  return config;
}

}  // namespace tandem
