#include "tandem/layers/dropout.h"

#include <ATen/ATen.h>

#include "tandem/layers/masked_dropout.h"
#include "tandem/layers/noise_shape.h"

namespace tandem::layers {
namespace {

class DropoutLayer : public MaskedDropoutLayer {
 public:
  DropoutLayer(double rate, const DropoutOptions& options)
      : MaskedDropoutLayer("Dropout", rate, options.noise_shape, options.seed) {}

 protected:
  Tensor drop(const Tensor& x, Tensor mask) const override { return x * mask.mul_(1 / (1 - rate())); }
};

}  // namespace

Dropout::Dropout(double rate, DropoutOptions options)
    : LayerHandle(make_remembered<DropoutLayer>(options.name, rate, options)) {}

Dropout Dropout::from_config(const Config& config) {
  return Dropout(config.at("rate").as_double(), {.noise_shape = noise_shape_from(config), .seed = seed_from(config)});
}

}  // namespace tandem::layers
