#include "tandem/layers/random_zoom.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/layers/random_image_layer.h"
#include "tandem/layers/serialization.h"
#include "tandem/layers/warp.h"

namespace tandem::layers {
namespace {

class RandomZoomLayer : public RandomImageLayer {
 public:
  RandomZoomLayer(const RandomRange& height, const RandomZoomOptions& options)
      : RandomImageLayer(options.seed),
        height_(height),
        width_(options.width_factor),
        warp_{.outside = parse_fill_mode("RandomZoom", options.fill_mode),
              .interpolation = parse_interpolation("RandomZoom", options.interpolation),
              .fill_value = options.fill_value} {
    for (const auto& [what, range] : {std::pair("height_factor", height_), std::pair("width_factor", width_)}) {
      if (range.low() > -1 && range.high() <= 1) continue;
      throw InvalidArgument(
          c10::str("RandomZoom: ", what, " must be one number or two within (-1, 1], got ", range.to_config().shown()));
    }
  }

  std::string class_name() const override { return "RandomZoom"; }
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
    const Tensor high = draw("height", height_.low(), height_.high(), rows, context).add_(1);
    const Tensor wide = width_.given() ? draw("width", width_.low(), width_.high(), rows, context).add_(1) : high;
    const double x = static_cast<double>(images.size(2) - 1) / 2, y = static_cast<double>(images.size(1) - 1) / 2;
    const Tensor none = at::zeros_like(high);
    return warp(images, at::stack({wide, none, x - x * wide, none, high, y - y * high}, 1), warp_);
  }

 private:
  RandomRange height_, width_;
  WarpOptions warp_;
};

}  // namespace

RandomZoom::RandomZoom(RandomRange height_factor, RandomZoomOptions options)
    : LayerHandle(make_remembered<RandomZoomLayer>(options.name, height_factor, options)) {}

RandomZoom RandomZoom::from_config(const Config& config) {
  check_channels_last(config, "RandomZoom");
  refuse_settings(config, "RandomZoom", {"bounding_box_format"});
  return RandomZoom(RandomRange::from_config(config.at("height_factor")),
                    {.width_factor = RandomRange::from_config(config.get("width_factor", {})),
                     .fill_mode = config.get("fill_mode", "reflect").as_string(),
                     .interpolation = config.get("interpolation", "bilinear").as_string(),
                     .seed = seed_from(config),
                     .fill_value = config.get("fill_value", 0.0).as_double()});
}

}  // namespace tandem::layers
