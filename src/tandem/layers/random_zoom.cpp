#include "tandem/layers/random_zoom.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/layers/warping_layer.h"

namespace tandem::layers {
namespace {

class RandomZoomLayer : public WarpingLayer {
 public:
  RandomZoomLayer(const RandomRange& height, const RandomZoomOptions& options)
      : WarpingLayer("RandomZoom", options), height_(height), width_(options.width_factor) {
    for (const auto& [what, range] : {std::pair("height_factor", height_), std::pair("width_factor", width_)}) {
      if (range.low() > -1 && range.high() <= 1) continue;
      throw InvalidArgument(
          c10::str("RandomZoom: ", what, " must be one number or two within (-1, 1], got ", range.to_config().shown()));
    }
  }

  std::string class_name() const override { return "RandomZoom"; }

 protected:
  Config factors() const override {
    return Config::object({{"height_factor", height_.to_config()}, {"width_factor", width_.to_config()}});
  }

  Tensor change(const Tensor& images, const CallContext& context) const override {
    const int64_t rows = images.size(0);
    const Tensor high = draw("height", height_.low(), height_.high(), rows, context).add_(1);
    const Tensor wide = width_.given() ? draw("width", width_.low(), width_.high(), rows, context).add_(1) : high;
    const double x = static_cast<double>(images.size(2) - 1) / 2, y = static_cast<double>(images.size(1) - 1) / 2;
    const Tensor none = at::zeros_like(high);
    return warp(images, at::stack({wide, none, x - x * wide, none, high, y - y * high}, 1), warp_options());
  }

 private:
  RandomRange height_, width_;
};

}  // namespace

RandomZoom::RandomZoom(RandomRange height_factor, RandomZoomOptions options)
    : LayerHandle(make_remembered<RandomZoomLayer>(options.name, height_factor, options)) {}

RandomZoom RandomZoom::from_config(const Config& config) {
  return RandomZoom(
      RandomRange::from_config(config.at("height_factor")),
      warp_options_from(config, "RandomZoom",
                        RandomZoomOptions{.width_factor = RandomRange::from_config(config.get("width_factor", {}))}));
}

}  // namespace tandem::layers
