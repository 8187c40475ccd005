#include "tandem/layers/cropping2d.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <utility>

#include "tandem/layers/image_layer.h"
#include "tandem/layers/serialization.h"

namespace tandem::layers {
namespace {

class Cropping2DLayer : public ImageLayer {
 public:
  explicit Cropping2DLayer(Sides2D cropping) : cropping_(cropping) { cropping_.check("Cropping2D: cropping"); }

  std::string class_name() const override { return "Cropping2D"; }
  Config get_config() const override {
    return Config::object({{"cropping", cropping_.to_config()}, {"data_format", "channels_last"}});
  }

 protected:
  Shape shape_for(const Shape& images) const override {
    Shape out = images;
    for (const auto& [axis, cut] : {std::pair(1, cropping_.rows()), std::pair(2, cropping_.columns())}) {
      if (images[axis] == Shape::kUnknown) continue;
      if (images[axis] <= cut) throw_nothing_left(images);
      out[axis] -= cut;
    }
    return out;
  }

  Tensor compute(const Tensor& images) const override {
    const int64_t rows = images.size(1) - cropping_.rows(), columns = images.size(2) - cropping_.columns();
    if (rows <= 0 || columns <= 0) throw_nothing_left(Shape::of(images.sizes().vec()));
    return images.narrow(1, cropping_.height().before, rows).narrow(2, cropping_.width().before, columns).contiguous();
  }

 private:
  [[noreturn]] void throw_nothing_left(const Shape& images) const {
    throw_shape_error(
        *this,
        c10::str("the image must be larger than what is cut off (", cropping_.rows(), ", ", cropping_.columns(), ")"),
        images);
  }

  Sides2D cropping_;
};

}  // namespace

Cropping2D::Cropping2D(Sides2D cropping, Cropping2DOptions options)
    : LayerHandle(make_remembered<Cropping2DLayer>(options.name, cropping)) {}

Cropping2D Cropping2D::from_config(const Config& config) {
  check_channels_last(config, "Cropping2D");
  return Cropping2D(Sides2D::from_config(config, "cropping", 0));
}

}  // namespace tandem::layers
