#include "tandem/layers/random_flip.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "tandem/core/error.h"
#include "tandem/layers/random_image_layer.h"
#include "tandem/layers/serialization.h"

namespace tandem::layers {
namespace {

class RandomFlipLayer : public RandomImageLayer {
 public:
  explicit RandomFlipLayer(const RandomFlipOptions& options) : RandomImageLayer(options.seed), mode_(options.mode) {
    const std::vector<std::string> known = {"horizontal", "vertical", "horizontal_and_vertical"};
    if (std::find(known.begin(), known.end(), mode_) == known.end())
      throw_unknown_name("RandomFlip: mode", mode_, known);
  }

  std::string class_name() const override { return "RandomFlip"; }
  Config get_config() const override {
    return Config::object({{"data_format", "channels_last"}, {"seed", seed_to_config(seed())}, {"mode", mode_}});
  }

 protected:
  Tensor change(const Tensor& images, const CallContext& context) const override {
    const Tensor flips = draw("flip", 0, 1, images.size(0), context) <= 0.5;
    const Tensor turned = mode_ == "horizontal" ? images.flip({2})
                          : mode_ == "vertical" ? images.flip({1})
                                                : images.flip({1, 2});
    return at::where(flips.view({-1, 1, 1, 1}).to(images.device()), turned, images);
  }

 private:
  std::string mode_;
};

}  // namespace

RandomFlip::RandomFlip(RandomFlipOptions options)
    : LayerHandle(make_remembered<RandomFlipLayer>(options.name, options)) {}

RandomFlip RandomFlip::from_config(const Config& config) {
  check_channels_last(config, "RandomFlip");
  refuse_settings(config, "RandomFlip", {"bounding_box_format"});
  return RandomFlip({.mode = config.get("mode", "horizontal_and_vertical").as_string(), .seed = seed_from(config)});
}

}  // namespace tandem::layers
