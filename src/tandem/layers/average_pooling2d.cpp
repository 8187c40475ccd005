#include "tandem/layers/average_pooling2d.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "tandem/layers/pooling2d.h"

namespace tandem::layers {
namespace {

class AveragePooling2DLayer : public Pooling2DLayer {
 public:
  AveragePooling2DLayer(Size2D pool_size, AveragePooling2DOptions options)
      : Pooling2DLayer("AveragePooling2D", pool_size, options.strides, options.padding) {}
  std::string class_name() const override { return "AveragePooling2D"; }

 protected:
  Tensor pool(const Tensor& image, const std::array<AxisPadding, 2>& padding, bool ceil_mode) override {
    return at::avg_pool2d(image, sizes(), strides(), std::array{padding[0].before, padding[1].before}, ceil_mode,
                          /*count_include_pad=*/false);
  }

  Tensor pool_padded(const Tensor& image, const std::array<AxisPadding, 2>& padding) override {
    const Tensor sums = at::avg_pool2d(pad_image(image, padding[0], padding[1], 0), sizes(), strides(), 0, false, true,
                                       /*divisor_override=*/1);
    const Tensor counts = inside(0, padding[0], image.size(2)).unsqueeze(1) * inside(1, padding[1], image.size(3));
    return sums / counts.to(image.options());
  }

 private:
  /// For each position of the window along an axis of n, how many of its elements are the image's and not padding.
  Tensor inside(int64_t axis, const AxisPadding& padding, int64_t n) const {
    const Tensor first =
        at::arange(windows_[axis].outputs(n, Padding::same)).mul_(windows_[axis].stride).sub_(padding.before);
    return at::clamp_max(first + windows_[axis].size, n) - at::clamp_min(first, 0);
  }
};

}  // namespace

AveragePooling2D::AveragePooling2D(Size2D pool_size, AveragePooling2DOptions options)
    : LayerHandle(make_remembered<AveragePooling2DLayer>(options.name, pool_size, options)) {}

AveragePooling2D::AveragePooling2D(std::initializer_list<int64_t> pool_size, AveragePooling2DOptions options)
    : AveragePooling2D(Size2D::of("AveragePooling2D: pool_size", pool_size), std::move(options)) {}

AveragePooling2D AveragePooling2D::from_config(const Config& config) {
  const auto settings = Pooling2DSettings::from(config, "AveragePooling2D");
  return AveragePooling2D(settings.pool_size, {.strides = settings.strides, .padding = settings.padding});
}

}  // namespace tandem::layers
