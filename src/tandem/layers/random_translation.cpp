#include "tandem/layers/random_translation.h"

#include <ATen/ATen.h>

#include "tandem/layers/warping_layer.h"

namespace tandem::layers {
namespace {

class RandomTranslationLayer : public WarpingLayer {
 public:
  RandomTranslationLayer(const RandomRange& height, const RandomRange& width, const RandomTranslationOptions& options)
      : WarpingLayer("RandomTranslation", options), height_(height), width_(width) {
    height_.check("RandomTranslation: height_factor", -1, 1);
    width_.check("RandomTranslation: width_factor", -1, 1);
  }

  std::string class_name() const override { return "RandomTranslation"; }

 protected:
  Config factors() const override {
    return Config::object({{"height_factor", height_.to_config()}, {"width_factor", width_.to_config()}});
  }

  Tensor change(const Tensor& images, const CallContext& context) const override {
    const int64_t rows = images.size(0);
    const auto shift = [&](const char* what, const RandomRange& range, int64_t n) {
      return draw(what, range.low(), range.high(), rows, context).mul_(-n);
    };
    const Tensor y = shift("height", height_, images.size(1)), x = shift("width", width_, images.size(2));
    const Tensor none = at::zeros_like(x), one = at::ones_like(x);
    return warp(images, at::stack({one, none, x, none, one, y}, 1), warp_options());
  }

 private:
  RandomRange height_, width_;
};

}  // namespace

RandomTranslation::RandomTranslation(RandomRange height_factor, RandomRange width_factor,
                                     RandomTranslationOptions options)
    : LayerHandle(make_remembered<RandomTranslationLayer>(options.name, height_factor, width_factor, options)) {}

RandomTranslation RandomTranslation::from_config(const Config& config) {
  return RandomTranslation(RandomRange::from_config(config.at("height_factor")),
                           RandomRange::from_config(config.at("width_factor")),
                           warp_options_from(config, "RandomTranslation", RandomTranslationOptions{}));
}

}  // namespace tandem::layers
