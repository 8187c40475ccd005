#include "tandem/layers/random_contrast.h"

#include <ATen/ATen.h>

#include "tandem/layers/random_image_layer.h"
#include "tandem/layers/serialization.h"
#include "tandem/layers/value_range.h"

namespace tandem::layers {
namespace {

class RandomContrastLayer : public RandomImageLayer {
 public:
  RandomContrastLayer(const RandomRange& factor, const RandomContrastOptions& options)
      : RandomImageLayer(options.seed), factor_(upwards(factor)), range_(options.value_range) {
    factor_.check("RandomContrast: factor", 0, 1);
    check_value_range("RandomContrast", range_);
  }

  std::string class_name() const override { return "RandomContrast"; }
  Config get_config() const override {
    return Config::object({{"data_format", "channels_last"},
                           {"factor", Config::List{factor_.low(), factor_.high()}},
                           {"value_range", Config::List{range_[0], range_[1]}},
                           {"seed", seed_to_config(seed())}});
  }

 protected:
  Tensor change(const Tensor& images, const CallContext& context) const override {
    const Tensor contrast = draw("contrast", 1 - factor_.low(), 1 + factor_.high(), images.size(0), context);
    const Tensor mean = images.mean({1, 2}, /*keepdim=*/true);
    return at::addcmul(mean, images - mean, by_row(contrast, images)).clamp(range_[0], range_[1]);
  }

 private:
  /// One number f as [0, f].
  static RandomRange upwards(const RandomRange& factor) {
    return factor.one() ? RandomRange(0, factor.to_config().as_double()) : factor;
  }

  RandomRange factor_;
  std::array<double, 2> range_;
};

}  // namespace

RandomContrast::RandomContrast(RandomRange factor, RandomContrastOptions options)
    : LayerHandle(make_remembered<RandomContrastLayer>(options.name, factor, options)) {}

RandomContrast RandomContrast::from_config(const Config& config) {
  check_channels_last(config, "RandomContrast");
  refuse_settings(config, "RandomContrast", {"bounding_box_format"});
  return RandomContrast(RandomRange::from_config(config.at("factor")),
                        {.value_range = value_range_from(config), .seed = seed_from(config)});
}

}  // namespace tandem::layers
