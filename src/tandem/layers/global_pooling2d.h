#pragma once
#include "tandem/layers/image_layer.h"

namespace tandem {

/// What GlobalAveragePooling2D and GlobalMaxPooling2D share: one value a channel of images (batch, height, width,
/// channels), as (batch, channels) or, with keepdims, (batch, 1, 1, channels).
class GlobalPooling2DLayer : public ImageLayer {
 public:
  explicit GlobalPooling2DLayer(bool keepdims) : keepdims_(keepdims) {}

  Config get_config() const override;

 protected:
  /// Reduces the axes 1 and 2.
  virtual Tensor pool(const Tensor& images, bool keepdims) const = 0;

  Shape shape_for(const Shape& images) const override;
  Tensor compute(const Tensor& images) const override { return pool(images, keepdims_); }

 private:
  bool keepdims_;
};

}  // namespace tandem
