#include "tandem/layers/random_crop.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/layers/interpolation.h"
#include "tandem/layers/middle.h"
#include "tandem/layers/random_image_layer.h"
#include "tandem/layers/serialization.h"

namespace tandem::layers {
namespace {

class RandomCropLayer : public RandomImageLayer {
 public:
  RandomCropLayer(int64_t height, int64_t width, const RandomCropOptions& options)
      : RandomImageLayer(options.seed), height_(height), width_(width) {
    if (height_ <= 0 || width_ <= 0) {
      throw InvalidArgument(c10::str("RandomCrop: height and width must be positive, got ", height_, " and ", width_));
    }
  }

  std::string class_name() const override { return "RandomCrop"; }
  Config get_config() const override {
    return Config::object(
        {{"data_format", "channels_last"}, {"height", height_}, {"width", width_}, {"seed", seed_to_config(seed())}});
  }

 protected:
  Shape shape_for(const Shape& images) const override { return {images[0], height_, width_, images[3]}; }

  Tensor change(const Tensor& images, const CallContext& context) const override {
    const int64_t rows = images.size(1) - height_, columns = images.size(2) - width_;
    if (rows <= 0 || columns <= 0) return keep(images);
    const RandomStream stream = noise_stream(context, seed());
    return images.narrow(1, stream.fold("height").below(rows + 1), height_)
        .narrow(2, stream.fold("width").below(columns + 1), width_)
        .contiguous();
  }

  Tensor keep(const Tensor& images) const override {
    return resize_image(middle_in_ratio(images, height_, width_), height_, width_, Interpolation::bilinear);
  }

 private:
  int64_t height_, width_;
};

}  // namespace

RandomCrop::RandomCrop(int64_t height, int64_t width, RandomCropOptions options)
    : LayerHandle(make_remembered<RandomCropLayer>(options.name, height, width, options)) {}

RandomCrop RandomCrop::from_config(const Config& config) {
  check_channels_last(config, "RandomCrop");
  refuse_settings(config, "RandomCrop", {"bounding_box_format"});
  return RandomCrop(config.at("height").as_int(), config.at("width").as_int(), {.seed = seed_from(config)});
}

}  // namespace tandem::layers
