#include "tandem/layers/up_sampling2d.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/layers/image_layer.h"
#include "tandem/layers/interpolation.h"
#include "tandem/layers/serialization.h"

namespace tandem::layers {
namespace {

class UpSampling2DLayer : public ImageLayer {
 public:
  UpSampling2DLayer(Size2D size, const std::string& interpolation)
      : size_(size), interpolation_(parse_interpolation("UpSampling2D", interpolation)) {
    for (std::size_t axis : {0, 1}) {
      if (size_[axis] <= 0) throw InvalidArgument(c10::str("UpSampling2D: size must be positive, got ", size_[axis]));
    }
  }

  std::string class_name() const override { return "UpSampling2D"; }
  Config get_config() const override {
    return Config::object(
        {{"size", to_config(size_)}, {"data_format", "channels_last"}, {"interpolation", to_string(interpolation_)}});
  }

 protected:
  Shape shape_for(const Shape& images) const override {
    Shape out = images;
    for (std::size_t axis : {0, 1}) {
      int64_t& n = out[static_cast<int64_t>(axis) + 1];
      if (n != Shape::kUnknown) n *= size_[axis];
    }
    return out;
  }

  Tensor compute(const Tensor& images) const override {
    return resize_image(images, images.size(1) * size_[0], images.size(2) * size_[1], interpolation_);
  }

 private:
  Size2D size_;
  Interpolation interpolation_;
};

}  // namespace

UpSampling2D::UpSampling2D(Size2D size, UpSampling2DOptions options)
    : LayerHandle(make_remembered<UpSampling2DLayer>(options.name, size, options.interpolation)) {}

UpSampling2D::UpSampling2D(std::initializer_list<int64_t> size, UpSampling2DOptions options)
    : UpSampling2D(Size2D::of("UpSampling2D: size", size), std::move(options)) {}

UpSampling2D UpSampling2D::from_config(const Config& config) {
  check_channels_last(config, "UpSampling2D");
  return UpSampling2D(size_from(config, "size", Size2D(2)),
                      {.interpolation = config.get("interpolation", "nearest").as_string()});
}

}  // namespace tandem::layers
