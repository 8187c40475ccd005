#include "tandem/layers/random_brightness.h"

#include <ATen/ATen.h>

#include "tandem/layers/random_image_layer.h"
#include "tandem/layers/serialization.h"
#include "tandem/layers/value_range.h"

namespace tandem::layers {
namespace {

class RandomBrightnessLayer : public RandomImageLayer {
 public:
  RandomBrightnessLayer(const RandomRange& factor, const RandomBrightnessOptions& options)
      : RandomImageLayer(options.seed), factor_(factor), range_(options.value_range) {
    factor_.check("RandomBrightness: factor", -1, 1);
    check_value_range("RandomBrightness", range_);
  }

  std::string class_name() const override { return "RandomBrightness"; }
  Config get_config() const override {
    return Config::object({{"data_format", "channels_last"},
                           {"factor", Config::List{factor_.low(), factor_.high()}},
                           {"value_range", Config::List{range_[0], range_[1]}},
                           {"seed", seed_to_config(seed())}});
  }

 protected:
  Tensor change(const Tensor& images, const CallContext& context) const override {
    const Tensor added =
        draw("brightness", factor_.low(), factor_.high(), images.size(0), context).mul_(range_[1] - range_[0]);
    return (images + by_row(added, images)).clamp(range_[0], range_[1]);
  }

 private:
  RandomRange factor_;
  std::array<double, 2> range_;
};

}  // namespace

RandomBrightness::RandomBrightness(RandomRange factor, RandomBrightnessOptions options)
    : LayerHandle(make_remembered<RandomBrightnessLayer>(options.name, factor, options)) {}

RandomBrightness RandomBrightness::from_config(const Config& config) {
  check_channels_last(config, "RandomBrightness");
  refuse_settings(config, "RandomBrightness", {"bounding_box_format"});
  return RandomBrightness(RandomRange::from_config(config.at("factor")),
                          {.value_range = value_range_from(config), .seed = seed_from(config)});
}

}  // namespace tandem::layers
