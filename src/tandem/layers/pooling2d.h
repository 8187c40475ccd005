#pragma once
#include <array>
#include <string>

#include "tandem/layers/layer.h"
#include "tandem/layers/size2d.h"
#include "tandem/layers/window.h"

namespace tandem {

/// What MaxPooling2D and AveragePooling2D share: a window that moves over images (batch, height, width, channels).
class Pooling2DLayer : public Layer {
 public:
  /// Strides that are not given are the pool size. Throws InvalidArgument naming `layer` on sizes that are not positive
  /// or an unknown padding.
  Pooling2DLayer(const std::string& layer, Size2D pool_size, Size2D strides, const std::string& padding);

  Config get_config() const override;
  void build(const Shape& input) override;
  Shape output_shape(const Shape& input) override;
  Tensor call(const Tensor& x, const CallContext& context) override;

 protected:
  /// Pools `image`, (batch, channels, height, width) in channels-last memory. LibTorch's kernels pad both ends by
  /// `padding.before` and, with `ceil_mode`, let the last window reach over the end, where nothing is counted.
  virtual Tensor pool(const Tensor& image, const std::array<AxisPadding, 2>& padding, bool ceil_mode) = 0;
  /// The same for uneven padding with step 1, which has no such form.
  virtual Tensor pool_padded(const Tensor& image, const std::array<AxisPadding, 2>& padding) = 0;

  std::array<int64_t, 2> sizes() const { return {windows_[0].size, windows_[1].size}; }
  std::array<int64_t, 2> strides() const { return {windows_[0].stride, windows_[1].stride}; }

  std::array<Window, 2> windows_;  // along the height, along the width

 private:
  void check_input(const Shape& input) const;

  Padding padding_;
};

/// The settings of a pooling layer in Keras's config.
struct Pooling2DSettings {
  Size2D pool_size, strides;
  std::string padding;
  static Pooling2DSettings from(const Config& config, const std::string& layer);
};

}  // namespace tandem
