#include "tandem/optimizers/loss_scale_optimizer.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <cmath>

#include "tandem/core/config_reader.h"
#include "tandem/core/error.h"
#include "tandem/optimizers/settings.h"
#include "tandem/optimizers/wrapped_optimizer.h"

namespace tandem::optimizers {
namespace {

// Its numbers.
constexpr std::size_t kUpdatesSince = 0, kScale = 1;

class DynamicLossScale final : public WrappedOptimizer {
 public:
  DynamicLossScale(std::shared_ptr<Optimizer> inner, const LossScaleOptimizerOptions& options)
      : WrappedOptimizer(std::move(inner), {}), options_(options) {
    if (!(options.initial_scale > 0) || !std::isfinite(options.initial_scale)) {
      throw InvalidArgument(
          c10::str("LossScaleOptimizer: initial_scale must be a finite number > 0, got ", options.initial_scale));
    }
    check_at_least_zero("LossScaleOptimizer", "minimum_scale", options.minimum_scale);
    check_at_least_one("LossScaleOptimizer", "dynamic_growth_steps", options.dynamic_growth_steps);
    if (!rule().initial_numbers().empty())
      throw InvalidArgument("LossScaleOptimizer: inner_optimizer must not be a LossScaleOptimizer itself");
  }

  std::vector<double> initial_numbers() const override { return {0, options_.initial_scale}; }
  double loss_scale(std::span<const double> numbers) const override { return numbers[kScale]; }
  bool prepares() const override { return true; }

  bool prepare(const Preparation& all) const override {
    double &since = all.numbers[kUpdatesSince], &scale = all.numbers[kScale];
    bool finite = all.gradients.isfinite().all().item<bool>();
    if (all.shards) finite = all.shards->sum(finite ? 0 : 1) == 0;
    if (!finite) {
      since = 0;
      scale = std::max(scale / 2, std::min(options_.minimum_scale, options_.initial_scale));
      return false;
    }
    if (++since == static_cast<double>(options_.dynamic_growth_steps)) {
      since = 0;
      scale *= 2;
    }
    return !WrappedOptimizer::prepares() || WrappedOptimizer::prepare(all);
  }

  std::string class_name() const override { return "LossScaleOptimizer"; }
  Config get_config() const override {
    Config config = Config::object({{"name", "loss_scale_optimizer"},
                                    {"inner_optimizer", Config::object({{"module", "keras.optimizers"},
                                                                        {"class_name", rule().class_name()},
                                                                        {"config", WrappedOptimizer::get_config()},
                                                                        {"registered_name", {}}})},
                                    {"initial_scale", options_.initial_scale},
                                    {"dynamic_growth_steps", options_.dynamic_growth_steps}});
    if (options_.minimum_scale != 1) config.set("minimum_scale", options_.minimum_scale);
    return config;
  }

 private:
  LossScaleOptimizerOptions options_;
};

}  // namespace

LossScaleOptimizer::LossScaleOptimizer(const Handle<Optimizer>& inner_optimizer, LossScaleOptimizerOptions options)
    : Handle(std::make_shared<DynamicLossScale>(inner_optimizer.get(), options)) {}

LossScaleOptimizer LossScaleOptimizer::from_config(const Config& config) {
  ConfigReader reader("LossScaleOptimizer", config);
  LossScaleOptimizerOptions options;
  reader.ignore("name")
      .ignore("inner_optimizer")
      .read("initial_scale", options.initial_scale)
      .read("dynamic_growth_steps", options.dynamic_growth_steps)
      .read("minimum_scale", options.minimum_scale)
      .finish();
  const Config& inner = config.at("inner_optimizer");
  Config settings = inner.at("config");
  settings.set("loss_scale_factor", {});  // as Keras: gradients would be scaled twice
  return LossScaleOptimizer(Optimizer::make(inner.at("class_name").as_string(), settings), options);
}

}  // namespace tandem::optimizers
