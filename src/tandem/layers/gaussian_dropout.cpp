#include "tandem/layers/gaussian_dropout.h"

#include <ATen/ATen.h>

#include <cmath>

#include "tandem/layers/noise.h"

namespace tandem::layers {
namespace {

class GaussianDropoutLayer : public Layer {
 public:
  GaussianDropoutLayer(double rate, const GaussianDropoutOptions& options) : rate_(rate), seed_(options.seed) {
    check_rate("GaussianDropout", rate_);
  }

  std::string class_name() const override { return "GaussianDropout"; }
  bool supports_masking() const override { return true; }
  Config get_config() const override { return Config::object({{"rate", rate_}, {"seed", seed_to_config(seed_)}}); }
  Shape output_shape(const Shape& input) override { return input; }

  Tensor call(const Tensor& x, const CallContext& context) override {
    if (!context.training || rate_ == 0) return x;
    const Tensor noise = normal_noise(Shape::of(x.sizes().vec()), context, seed_);
    return x * noise.mul_(std::sqrt(rate_ / (1 - rate_))).add_(1).to(x.options().requires_grad(false));
  }

 private:
  double rate_;
  Seed seed_;
};

}  // namespace

GaussianDropout::GaussianDropout(double rate, GaussianDropoutOptions options)
    : LayerHandle(make_remembered<GaussianDropoutLayer>(options.name, rate, options)) {}

GaussianDropout GaussianDropout::from_config(const Config& config) {
  return GaussianDropout(config.at("rate").as_double(), {.seed = seed_from(config)});
}

}  // namespace tandem::layers
