#include "tandem/layers/gaussian_noise.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/layers/noise.h"

namespace tandem::layers {
namespace {

class GaussianNoiseLayer : public Layer {
 public:
  GaussianNoiseLayer(double stddev, const GaussianNoiseOptions& options) : stddev_(stddev), seed_(options.seed) {
    if (!(stddev_ >= 0 && stddev_ <= 1)) {
      throw InvalidArgument(c10::str("GaussianNoise: stddev must be in [0, 1], got ", stddev_));
    }
  }

  std::string class_name() const override { return "GaussianNoise"; }
  bool supports_masking() const override { return true; }
  Config get_config() const override { return Config::object({{"stddev", stddev_}, {"seed", seed_to_config(seed_)}}); }
  Shape output_shape(const Shape& input) override { return input; }

  Tensor call(const Tensor& x, const CallContext& context) override {
    if (!context.training || stddev_ == 0) return x;
    const Tensor noise = normal_noise(Shape::of(x.sizes().vec()), context, seed_);
    return x + noise.mul_(stddev_).to(x.options().requires_grad(false));
  }

 private:
  double stddev_;
  Seed seed_;
};

}  // namespace

GaussianNoise::GaussianNoise(double stddev, GaussianNoiseOptions options)
    : LayerHandle(make_remembered<GaussianNoiseLayer>(options.name, stddev, options)) {}

GaussianNoise GaussianNoise::from_config(const Config& config) {
  return GaussianNoise(config.at("stddev").as_double(), {.seed = seed_from(config)});
}

}  // namespace tandem::layers
