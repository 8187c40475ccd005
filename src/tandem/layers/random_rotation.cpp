#include "tandem/layers/random_rotation.h"

#include <ATen/ATen.h>

#include <cmath>

#include "tandem/layers/random_image_layer.h"
#include "tandem/layers/serialization.h"
#include "tandem/layers/warp.h"

namespace tandem::layers {
namespace {

class RandomRotationLayer : public RandomImageLayer {
 public:
  RandomRotationLayer(const RandomRange& factor, const RandomRotationOptions& options)
      : RandomImageLayer(options.seed),
        factor_(factor),
        warp_{.outside = parse_fill_mode("RandomRotation", options.fill_mode),
              .interpolation = parse_interpolation("RandomRotation", options.interpolation),
              .fill_value = options.fill_value} {
    factor_.check("RandomRotation: factor", -1, 1);
  }

  std::string class_name() const override { return "RandomRotation"; }
  Config get_config() const override {
    return Config::object({{"data_format", "channels_last"},
                           {"factor", Config::List{factor_.low(), factor_.high()}},
                           {"fill_mode", to_string(warp_.outside)},
                           {"fill_value", warp_.fill_value},
                           {"interpolation", to_string(warp_.interpolation)},
                           {"seed", seed_to_config(seed())}});
  }

 protected:
  Tensor change(const Tensor& images, const CallContext& context) const override {
    const Tensor angle =
        draw("angle", factor_.low(), factor_.high(), images.size(0), context).mul_(2 * std::acos(-1.0));
    const Tensor cosine = angle.cos(), sine = angle.sin();
    const double x = static_cast<double>(images.size(2) - 1) / 2, y = static_cast<double>(images.size(1) - 1) / 2;
    return warp(images,
                at::stack({cosine, -sine, x - x * cosine + y * sine, sine, cosine, y - x * sine - y * cosine}, 1),
                warp_);
  }

 private:
  RandomRange factor_;
  WarpOptions warp_;
};

}  // namespace

RandomRotation::RandomRotation(RandomRange factor, RandomRotationOptions options)
    : LayerHandle(make_remembered<RandomRotationLayer>(options.name, factor, options)) {}

RandomRotation RandomRotation::from_config(const Config& config) {
  check_channels_last(config, "RandomRotation");
  refuse_settings(config, "RandomRotation", {"bounding_box_format"});
  return RandomRotation(RandomRange::from_config(config.at("factor")),
                        {.fill_mode = config.get("fill_mode", "reflect").as_string(),
                         .interpolation = config.get("interpolation", "bilinear").as_string(),
                         .seed = seed_from(config),
                         .fill_value = config.get("fill_value", 0.0).as_double()});
}

}  // namespace tandem::layers
