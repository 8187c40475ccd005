#include "tandem/optimizers/adafactor.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <cmath>

#include "tandem/optimizers/around_rule.h"
#include "tandem/optimizers/settings.h"
#include "tandem/optimizers/weight_optimizer.h"

namespace tandem::optimizers {
namespace {

enum Slot : std::size_t { kRows, kColumns, kVelocity };

double root_mean_square(const Tensor& t) { return std::sqrt(t.square().mean().item<double>()); }

/// The first elements of a slot's memory in the shape that it has.
Tensor head_of(const Tensor& slot, const Shape& shape) {
  std::vector<int64_t> strides(shape.sizes().size(), 1);
  for (std::size_t i = strides.size(); i-- > 1;) strides[i - 1] = strides[i] * shape.sizes()[i];
  return slot.as_strided(shape.sizes(), strides, slot.storage_offset());
}

class AdafactorOptimizer final : public WeightOptimizer {
 public:
  explicit AdafactorOptimizer(const AdafactorOptions& options)
      : WeightOptimizer(common_settings("Adafactor", "adafactor", options, {"r", "c", "velocity"})), options_(options) {
    if (!(options.beta_2_decay <= 0) || !std::isfinite(options.beta_2_decay))
      throw InvalidArgument(
          c10::str("Adafactor: beta_2_decay must be a finite number <= 0, got ", options.beta_2_decay));
    if (!(options.clip_threshold > 0))
      throw InvalidArgument(c10::str("Adafactor: clip_threshold must be more than 0, got ", options.clip_threshold));
    check_at_least_zero("Adafactor", "epsilon_1", options.epsilon_1);
    check_at_least_zero("Adafactor", "epsilon_2", options.epsilon_2);
  }

  Shape slot_shape(std::size_t slot, const Shape& weight) const override {
    if (slot == kVelocity) return weight;
    if (weight.rank() < 2) return {};  // one 0, as in Keras
    auto sizes = weight.sizes();
    sizes.erase(sizes.end() - (slot == kRows ? 1 : 2));
    return Shape::of(sizes);
  }

  Config get_config() const override {
    Config config = WeightOptimizer::get_config();
    config.set("beta_2_decay", options_.beta_2_decay);
    config.set("epsilon_1", options_.epsilon_1);
    config.set("epsilon_2", options_.epsilon_2);
    config.set("clip_threshold", options_.clip_threshold);
    config.set("relative_step", options_.relative_step);
    return config;
  }

 private:
  void apply(int64_t update, double rate, Tensor& parameter, const Tensor& gradient,
             std::span<Tensor> slots) const override {
    const auto t = static_cast<double>(update);
    const double forget = std::pow(t, options_.beta_2_decay);
    const double size = std::max(options_.epsilon_2, root_mean_square(parameter)) * std::min(rate, 1 / std::sqrt(t));
    const Tensor squares = gradient.square().add_(options_.epsilon_1);
    const Shape shape = Shape::of(parameter.sizes().vec());
    Tensor v = slots[kVelocity].view_as(parameter);
    if (parameter.dim() < 2) {
      v.lerp_(squares, forget);
    } else {
      Tensor rows = head_of(slots[kRows], slot_shape(kRows, shape));
      Tensor columns = head_of(slots[kColumns], slot_shape(kColumns, shape));
      rows.lerp_(squares.mean(-1), forget);
      columns.lerp_(squares.mean(-2), forget);
      v.copy_((rows / rows.mean(-1, true)).unsqueeze(-1) * columns.unsqueeze(-2));
    }
    const Tensor step = gradient / v.sqrt();
    parameter.add_(step, -size / std::max(1.0, root_mean_square(step) / options_.clip_threshold));
  }

  AdafactorOptions options_;
};

}  // namespace

Adafactor::Adafactor(AdafactorOptions options)
    : Handle(around_rule(options, std::make_shared<AdafactorOptimizer>(options))) {}

Adafactor Adafactor::from_config(const Config& config) {
  ConfigReader reader("Adafactor", config);
  AdafactorOptions options;
  read_common(reader, options);
  reader.read("beta_2_decay", options.beta_2_decay)
      .read("epsilon_1", options.epsilon_1)
      .read("epsilon_2", options.epsilon_2)
      .read("clip_threshold", options.clip_threshold)
      .read("relative_step", options.relative_step)
      .finish();
  return Adafactor(options);
}

}  // namespace tandem::optimizers
