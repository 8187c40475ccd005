#include "tandem/layers/random_translation.h"

#include <ATen/ATen.h>

#include "tandem/layers/random_image_layer.h"
#include "tandem/layers/serialization.h"
#include "tandem/layers/warp.h"

namespace tandem::layers {
namespace {

class RandomTranslationLayer : public RandomImageLayer {
 public:
  RandomTranslationLayer(const RandomRange& height, const RandomRange& width, const RandomTranslationOptions& options)
      : RandomImageLayer(options.seed),
        height_(height),
        width_(width),
        warp_{.outside = parse_fill_mode("RandomTranslation", options.fill_mode),
              .interpolation = parse_interpolation("RandomTranslation", options.interpolation),
              .fill_value = options.fill_value} {
    height_.check("RandomTranslation: height_factor", -1, 1);
    width_.check("RandomTranslation: width_factor", -1, 1);
  }

  std::string class_name() const override { return "RandomTranslation"; }
  Config get_config() const override {
    return Config::object({{"data_format", "channels_last"},
                           {"height_factor", height_.to_config()},
                           {"width_factor", width_.to_config()},
                           {"fill_mode", to_string(warp_.outside)},
                           {"fill_value", warp_.fill_value},
                           {"interpolation", to_string(warp_.interpolation)},
                           {"seed", seed_to_config(seed())}});
  }

 protected:
  Tensor change(const Tensor& images, const CallContext& context) const override {
    const int64_t rows = images.size(0);
    const auto shift = [&](const char* what, const RandomRange& range, int64_t n) {
      return draw(what, range.low(), range.high(), rows, context).mul_(-n);
    };
    const Tensor y = shift("height", height_, images.size(1)), x = shift("width", width_, images.size(2));
    const Tensor none = at::zeros_like(x), one = at::ones_like(x);
    return warp(images, at::stack({one, none, x, none, one, y}, 1), warp_);
  }

 private:
  RandomRange height_, width_;
  WarpOptions warp_;
};

}  // namespace

RandomTranslation::RandomTranslation(RandomRange height_factor, RandomRange width_factor,
                                     RandomTranslationOptions options)
    : LayerHandle(make_remembered<RandomTranslationLayer>(options.name, height_factor, width_factor, options)) {}

RandomTranslation RandomTranslation::from_config(const Config& config) {
  check_channels_last(config, "RandomTranslation");
  refuse_settings(config, "RandomTranslation", {"bounding_box_format"});
  return RandomTranslation(RandomRange::from_config(config.at("height_factor")),
                           RandomRange::from_config(config.at("width_factor")),
                           {.fill_mode = config.get("fill_mode", "reflect").as_string(),
                            .interpolation = config.get("interpolation", "bilinear").as_string(),
                            .seed = seed_from(config),
                            .fill_value = config.get("fill_value", 0.0).as_double()});
}

}  // namespace tandem::layers
