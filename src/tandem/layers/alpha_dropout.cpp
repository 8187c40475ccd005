#include "tandem/layers/alpha_dropout.h"

#include <ATen/ATen.h>

#include <cmath>

#include "tandem/layers/noise.h"
#include "tandem/layers/noise_shape.h"

namespace tandem::layers {
namespace {

/// The limit of SELU towards minus infinity: -alpha * scale.
constexpr double kLeastSelu = -1.6732632423543772848170429916717 * 1.0507009873554804934193349852946;

class AlphaDropoutLayer : public Layer {
 public:
  AlphaDropoutLayer(double rate, AlphaDropoutOptions options) : rate_(rate), options_(std::move(options)) {
    check_rate("AlphaDropout", rate_);
    check_noise_shape("AlphaDropout", options_.noise_shape);
  }

  std::string class_name() const override { return "AlphaDropout"; }
  Config get_config() const override {
    return Config::object({{"rate", rate_},
                           {"seed", seed_to_config(options_.seed)},
                           {"noise_shape", noise_shape_to_config(options_.noise_shape)}});
  }

  Shape output_shape(const Shape& input) override {
    mask_shape(*this, options_.noise_shape, input);
    return input;
  }

  Tensor call(const Tensor& x, const CallContext& context) override {
    if (!context.training || rate_ == 0) return x;
    const Shape shape = mask_shape(*this, options_.noise_shape, Shape::of(x.sizes().vec()));
    const Tensor mask = kept(shape, rate_, context, options_.seed, x, differs_by_row(options_.noise_shape));
    const double scale = 1 / std::sqrt((1 - rate_) * (1 + rate_ * kLeastSelu * kLeastSelu));
    const double shift = -scale * kLeastSelu * rate_;
    // scale * (x * mask + least * (1 - mask)) + shift
    const Tensor dropped = (1 - mask).mul_(scale * kLeastSelu).add_(shift);
    return at::addcmul(dropped, x, mask, scale);
  }

 private:
  double rate_;
  AlphaDropoutOptions options_;
};

}  // namespace

AlphaDropout::AlphaDropout(double rate, AlphaDropoutOptions options)
    : LayerHandle(make_remembered<AlphaDropoutLayer>(options.name, rate, options)) {}

AlphaDropout AlphaDropout::from_config(const Config& config) {
  return AlphaDropout(config.at("rate").as_double(),
                      {.noise_shape = noise_shape_from(config), .seed = seed_from(config)});
}

}  // namespace tandem::layers
