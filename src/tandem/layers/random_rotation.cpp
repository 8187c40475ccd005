#include "tandem/layers/random_rotation.h"

#include <ATen/ATen.h>

#include <cmath>

#include "tandem/layers/warping_layer.h"

namespace tandem::layers {
namespace {

class RandomRotationLayer : public WarpingLayer {
 public:
  RandomRotationLayer(const RandomRange& factor, const RandomRotationOptions& options)
      : WarpingLayer("RandomRotation", options), factor_(factor) {
    factor_.check("RandomRotation: factor", -1, 1);
  }

  std::string class_name() const override { return "RandomRotation"; }

 protected:
  Config factors() const override { return Config::object({{"factor", Config::List{factor_.low(), factor_.high()}}}); }

  Tensor change(const Tensor& images, const CallContext& context) const override {
    const Tensor angle =
        draw("angle", factor_.low(), factor_.high(), images.size(0), context).mul_(2 * std::acos(-1.0));
    const Tensor cosine = angle.cos(), sine = angle.sin();
    const double x = static_cast<double>(images.size(2) - 1) / 2, y = static_cast<double>(images.size(1) - 1) / 2;
    return warp(images,
                at::stack({cosine, -sine, x - x * cosine + y * sine, sine, cosine, y - x * sine - y * cosine}, 1),
                warp_options());
  }

 private:
  RandomRange factor_;
};

}  // namespace

RandomRotation::RandomRotation(RandomRange factor, RandomRotationOptions options)
    : LayerHandle(make_remembered<RandomRotationLayer>(options.name, factor, options)) {}

RandomRotation RandomRotation::from_config(const Config& config) {
  return RandomRotation(RandomRange::from_config(config.at("factor")),
                        warp_options_from(config, "RandomRotation", RandomRotationOptions{}));
}

}  // namespace tandem::layers
