#pragma once
#include <cstddef>

#include "tandem/layers/layer.h"

namespace tandem {

/// What layers share that make something of images, or of sequences or volumes, (batch, spatial axes, channels), and
/// need no weights and nothing of the call: inputs of another rank are refused.
class ImageLayer : public Layer {
 public:
  /// `axes`: spatial ones, 1 to 3.
  explicit ImageLayer(std::size_t axes = 2) : axes_(axes) {}

  void build(const Shape& input) override { output_shape(input); }
  Shape output_shape(const Shape& input) override;
  Tensor call(const Tensor& x, const CallContext& context) override;

 protected:
  /// Shape of the output for images of this shape, which may hold unknown sizes.
  virtual Shape shape_for(const Shape& images) const = 0;
  virtual Tensor compute(const Tensor& images) const = 0;

  std::size_t axes() const { return axes_; }

 private:
  std::size_t axes_;
};

/// Throws InvalidArgument: "input must have rank 4 (batch, height, width, channels)" for two spatial axes.
[[noreturn]] void throw_wrong_rank(const Layer& layer, std::size_t axes, const Shape& got);

}  // namespace tandem
