#include "tandem/layers/variance_scaling.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <cmath>

#include "tandem/core/error.h"
#include "tandem/layers/random_initializers.h"

namespace tandem::initializers {
namespace {

// The standard deviation of a standard normal variable that is cut off at two standard deviations.
constexpr double kTruncatedDeviation = 0.87962566103423978;

Config axes_config(const OptionalAxes& axes) { return axes ? Config::list(*axes) : Config(); }

double product_of(const Shape& shape, const std::vector<int64_t>& axes) {
  double product = 1;
  for (const int64_t axis : axes) product *= static_cast<double>(shape[axis]);
  return product;
}

class VarianceScalingInitializer : public Initializer {
 public:
  /// `name` is the class's own name or that of a special case, whose config has no scale, mode and distribution.
  VarianceScalingInitializer(std::string name, VarianceScalingOptions options)
      : name_(std::move(name)), options_(std::move(options)) {
    if (options_.distribution == "normal") options_.distribution = "truncated_normal";
    if (!(options_.scale > 0))
      throw InvalidArgument(c10::str(name_, " initializer: scale must be positive, got ", options_.scale));
    check_word("mode", options_.mode, {"fan_in", "fan_out", "fan_avg"});
    check_word("distribution", options_.distribution, {"truncated_normal", "untruncated_normal", "uniform"});
  }

  Tensor operator()(const Shape& shape, const RandomStream& weight_stream) const override {
    const Fans fans = compute_fans(shape, options_.input_axes, options_.output_axes);
    const double fan = options_.mode == "fan_in"    ? fans.in
                       : options_.mode == "fan_out" ? fans.out
                                                    : (fans.in + fans.out) / 2;
    const double variance = options_.scale / std::max(1.0, fan);
    const RandomStream random = stream_of(options_.seed, weight_stream);
    if (options_.distribution == "uniform") {
      const double limit = std::sqrt(3 * variance);
      return draw_uniform(shape, random, -limit, limit);
    }
    const double deviation = std::sqrt(variance);
    if (options_.distribution == "untruncated_normal") return draw_normal(shape, random, 0, deviation);
    return draw_truncated_normal(shape, random, 0, deviation / kTruncatedDeviation);
  }

  std::string class_name() const override { return name_; }

  Config get_config() const override {
    Config config = Config::object({{"seed", seed_config(options_.seed)}});
    if (name_ == "VarianceScaling") {
      config.set("scale", options_.scale);
      config.set("mode", options_.mode);
      config.set("distribution", options_.distribution);
    }
    config.set("input_axes", axes_config(options_.input_axes));
    config.set("output_axes", axes_config(options_.output_axes));
    return config;
  }

 private:
  void check_word(const std::string& what, const std::string& word, const std::vector<std::string>& known) const {
    if (std::find(known.begin(), known.end(), word) == known.end())
      throw_unknown_name(name_ + " initializer: " + what, word, known);
  }

  std::string name_;
  VarianceScalingOptions options_;
};

std::shared_ptr<Initializer> special_case(std::string name, double scale, std::string mode, std::string distribution,
                                          const FanOptions& options) {
  return std::make_shared<VarianceScalingInitializer>(
      std::move(name), VarianceScalingOptions{scale, std::move(mode), std::move(distribution), options.seed,
                                              options.input_axes, options.output_axes});
}

}  // namespace

Fans compute_fans(const Shape& shape, const OptionalAxes& input_axes, const OptionalAxes& output_axes) {
  if (input_axes && output_axes) return {product_of(shape, *input_axes), product_of(shape, *output_axes)};
  if (shape.rank() == 0) return {1, 1};
  if (shape.rank() == 1) return {static_cast<double>(shape[0]), static_cast<double>(shape[0])};
  double field = 1;  // receptive field of a convolution: the product of the kernel's sizes
  for (int64_t i = 0; i < shape.rank() - 2; ++i) field *= static_cast<double>(shape[i]);
  return {field * static_cast<double>(shape[-2]), field * static_cast<double>(shape[-1])};
}

VarianceScaling::VarianceScaling(VarianceScalingOptions options)
    : Handle(std::make_shared<VarianceScalingInitializer>("VarianceScaling", std::move(options))) {}
GlorotUniform::GlorotUniform(FanOptions o) : Handle(special_case("GlorotUniform", 1, "fan_avg", "uniform", o)) {}
GlorotNormal::GlorotNormal(FanOptions o) : Handle(special_case("GlorotNormal", 1, "fan_avg", "truncated_normal", o)) {}
HeUniform::HeUniform(FanOptions o) : Handle(special_case("HeUniform", 2, "fan_in", "uniform", o)) {}
HeNormal::HeNormal(FanOptions o) : Handle(special_case("HeNormal", 2, "fan_in", "truncated_normal", o)) {}
LecunUniform::LecunUniform(FanOptions o) : Handle(special_case("LecunUniform", 1, "fan_in", "uniform", o)) {}
LecunNormal::LecunNormal(FanOptions o) : Handle(special_case("LecunNormal", 1, "fan_in", "truncated_normal", o)) {}

}  // namespace tandem::initializers
