#include "tandem/layers/zero_padding2d.h"

#include <ATen/ATen.h>

#include "tandem/layers/image_layer.h"
#include "tandem/layers/serialization.h"

namespace tandem::layers {
namespace {

class ZeroPadding2DLayer : public ImageLayer {
 public:
  explicit ZeroPadding2DLayer(Sides2D padding) : padding_(padding) { padding_.check("ZeroPadding2D: padding"); }

  std::string class_name() const override { return "ZeroPadding2D"; }
  Config get_config() const override {
    return Config::object({{"padding", padding_.to_config()}, {"data_format", "channels_last"}});
  }

 protected:
  Shape shape_for(const Shape& images) const override {
    Shape out = images;
    if (out[1] != Shape::kUnknown) out[1] += padding_.rows();
    if (out[2] != Shape::kUnknown) out[2] += padding_.columns();
    return out;
  }

  Tensor compute(const Tensor& images) const override {
    if (padding_.rows() == 0 && padding_.columns() == 0) return images;
    return to_channels_last(pad_image(to_channels_first(images), padding_.height(), padding_.width(), 0));
  }

 private:
  Sides2D padding_;
};

}  // namespace

ZeroPadding2D::ZeroPadding2D(Sides2D padding, ZeroPadding2DOptions options)
    : LayerHandle(make_remembered<ZeroPadding2DLayer>(options.name, padding)) {}

ZeroPadding2D ZeroPadding2D::from_config(const Config& config) {
  check_channels_last(config, "ZeroPadding2D");
  return ZeroPadding2D(Sides2D::from_config(config, "padding", 1));
}

}  // namespace tandem::layers
