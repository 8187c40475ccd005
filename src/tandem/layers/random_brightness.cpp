#include "tandem/layers/random_brightness.h"

#include <ATen/ATen.h>

#include "tandem/layers/recolouring_layer.h"

namespace tandem::layers {
namespace {

class RandomBrightnessLayer : public RecolouringLayer {
 public:
  RandomBrightnessLayer(const RandomRange& factor, const RandomBrightnessOptions& options)
      : RecolouringLayer("RandomBrightness", factor, -1, 1, options) {}

  std::string class_name() const override { return "RandomBrightness"; }

 protected:
  Tensor change(const Tensor& images, const CallContext& context) const override {
    const Tensor added = draw("brightness", factor().low(), factor().high(), images.size(0), context).mul_(range());
    return within_range(images + by_row(added, images));
  }
};

}  // namespace

RandomBrightness::RandomBrightness(RandomRange factor, RandomBrightnessOptions options)
    : LayerHandle(make_remembered<RandomBrightnessLayer>(options.name, factor, options)) {}

RandomBrightness RandomBrightness::from_config(const Config& config) {
  return recolouring_from<RandomBrightness, RandomBrightnessOptions>(config, "RandomBrightness");
}

}  // namespace tandem::layers
