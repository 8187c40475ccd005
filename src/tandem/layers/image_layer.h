#pragma once
#include "tandem/layers/layer.h"

namespace tandem {

/// What layers share that make something of images (batch, height, width, channels) and need no weights and nothing of
/// the call: inputs of another rank are refused.
class ImageLayer : public Layer {
 public:
  void build(const Shape& input) override { output_shape(input); }
  Shape output_shape(const Shape& input) override;
  Tensor call(const Tensor& x, const CallContext& context) override;

 protected:
  /// Shape of the output for images of this shape, which may hold unknown sizes.
  virtual Shape shape_for(const Shape& images) const = 0;
  virtual Tensor compute(const Tensor& images) const = 0;
};

}  // namespace tandem
