#include "tandem/layers/alpha_dropout.h"

#include <ATen/ATen.h>

#include <cmath>

#include "tandem/layers/masked_dropout.h"
#include "tandem/layers/noise_shape.h"

namespace tandem::layers {
namespace {

/// The limit of SELU towards minus infinity: -alpha * scale.
constexpr double kLeastSelu = -1.6732632423543772848170429916717 * 1.0507009873554804934193349852946;

class AlphaDropoutLayer : public MaskedDropoutLayer {
 public:
  AlphaDropoutLayer(double rate, const AlphaDropoutOptions& options)
      : MaskedDropoutLayer("AlphaDropout", rate, options.noise_shape, options.seed) {}

 protected:
  Tensor drop(const Tensor& x, Tensor mask) const override {
    const double scale = 1 / std::sqrt((1 - rate()) * (1 + rate() * kLeastSelu * kLeastSelu));
    const double shift = -scale * kLeastSelu * rate();
    // scale * (x * mask + least * (1 - mask)) + shift
    const Tensor dropped = (1 - mask).mul_(scale * kLeastSelu).add_(shift);
    return at::addcmul(dropped, x, mask, scale);
  }
};

}  // namespace

AlphaDropout::AlphaDropout(double rate, AlphaDropoutOptions options)
    : LayerHandle(make_remembered<AlphaDropoutLayer>(options.name, rate, options)) {}

AlphaDropout AlphaDropout::from_config(const Config& config) {
  return AlphaDropout(config.at("rate").as_double(),
                      {.noise_shape = noise_shape_from(config), .seed = seed_from(config)});
}

}  // namespace tandem::layers
