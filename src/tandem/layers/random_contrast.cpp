#include "tandem/layers/random_contrast.h"

#include <ATen/ATen.h>

#include "tandem/layers/recolouring_layer.h"

namespace tandem::layers {
namespace {

// One number f stands for [0, f].
RandomRange upwards(const RandomRange& factor) {
  return factor.one() ? RandomRange(0, factor.to_config().as_double()) : factor;
}

class RandomContrastLayer : public RecolouringLayer {
 public:
  RandomContrastLayer(const RandomRange& factor, const RandomContrastOptions& options)
      : RecolouringLayer("RandomContrast", upwards(factor), 0, 1, options) {}

  std::string class_name() const override { return "RandomContrast"; }

 protected:
  Tensor change(const Tensor& images, const CallContext& context) const override {
    const Tensor contrast = draw("contrast", 1 - factor().low(), 1 + factor().high(), images.size(0), context);
    const Tensor mean = images.mean({1, 2}, /*keepdim=*/true);
    return within_range(at::addcmul(mean, images - mean, by_row(contrast, images)));
  }
};

}  // namespace

RandomContrast::RandomContrast(RandomRange factor, RandomContrastOptions options)
    : LayerHandle(make_remembered<RandomContrastLayer>(options.name, factor, options)) {}

RandomContrast RandomContrast::from_config(const Config& config) {
  return recolouring_from<RandomContrast, RandomContrastOptions>(config, "RandomContrast");
}

}  // namespace tandem::layers
