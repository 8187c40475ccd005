#include "tandem/layers/center_crop.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/layers/image_layer.h"
#include "tandem/layers/interpolation.h"
#include "tandem/layers/middle.h"
#include "tandem/layers/serialization.h"

namespace tandem::layers {
namespace {

class CenterCropLayer : public ImageLayer {
 public:
  CenterCropLayer(int64_t height, int64_t width) : height_(height), width_(width) {
    if (height_ <= 0 || width_ <= 0) {
      throw InvalidArgument(c10::str("CenterCrop: height and width must be positive, got ", height_, " and ", width_));
    }
  }

  std::string class_name() const override { return "CenterCrop"; }
  Lowering lowering() const override { return Lowering::kOutputs; }
  Config get_config() const override {
    return Config::object({{"data_format", "channels_last"}, {"height", height_}, {"width", width_}});
  }

 protected:
  Shape shape_for(const Shape& images) const override { return {images[0], height_, width_, images[3]}; }

  Tensor compute(const Tensor& images) const override {
    const Tensor in = images.is_floating_point() ? images : images.to(at::kFloat);
    if (in.size(1) >= height_ && in.size(2) >= width_) return middle_of(in, height_, width_);
    return resize_image(middle_in_ratio(in, height_, width_), height_, width_, Interpolation::bilinear);
  }

 private:
  int64_t height_, width_;
};

}  // namespace

CenterCrop::CenterCrop(int64_t height, int64_t width, CenterCropOptions options)
    : LayerHandle(make_remembered<CenterCropLayer>(options.name, height, width)) {}

CenterCrop CenterCrop::from_config(const Config& config) {
  check_channels_last(config, "CenterCrop");
  refuse_settings(config, "CenterCrop", {"bounding_box_format"});
  return CenterCrop(config.at("height").as_int(), config.at("width").as_int());
}

}  // namespace tandem::layers
