#include "tandem/layers/max_pooling2d.h"

#include <ATen/ATen.h>

#include <limits>

#include "tandem/layers/pooling2d.h"

namespace tandem::layers {
namespace {

class MaxPooling2DLayer : public Pooling2DLayer {
 public:
  MaxPooling2DLayer(Size2D pool_size, MaxPooling2DOptions options)
      : Pooling2DLayer("MaxPooling2D", pool_size, options.strides, options.padding) {}
  std::string class_name() const override { return "MaxPooling2D"; }

 protected:
  Tensor pool(const Tensor& image, const std::array<AxisPadding, 2>& padding, bool ceil_mode) override {
    return at::max_pool2d(image, sizes(), strides(), std::array{padding[0].before, padding[1].before}, /*dilation=*/1,
                          ceil_mode);
  }
  Tensor pool_padded(const Tensor& image, const std::array<AxisPadding, 2>& padding) override {
    const double lowest = -std::numeric_limits<double>::infinity();
    return at::max_pool2d(pad_image(image, padding[0], padding[1], lowest), sizes(), strides());
  }
};

}  // namespace

MaxPooling2D::MaxPooling2D(Size2D pool_size, MaxPooling2DOptions options)
    : LayerHandle(make_remembered<MaxPooling2DLayer>(options.name, pool_size, options)) {}

MaxPooling2D::MaxPooling2D(std::initializer_list<int64_t> pool_size, MaxPooling2DOptions options)
    : MaxPooling2D(Size2D::of("MaxPooling2D: pool_size", pool_size), std::move(options)) {}

MaxPooling2D MaxPooling2D::from_config(const Config& config) {
  const auto settings = Pooling2DSettings::from(config, "MaxPooling2D");
  return MaxPooling2D(settings.pool_size, {.strides = settings.strides, .padding = settings.padding});
}

}  // namespace tandem::layers
