#pragma once
#include <cstdint>

#include "tandem/layers/image_layer.h"
#include "tandem/layers/noise.h"
#include "tandem/layers/random_range.h"

namespace tandem {

/// What the random image layers share: images (batch, height, width, channels), as float32 where they are whole
/// numbers, that are changed in training alone, each row by draws of its own.
class RandomImageLayer : public Layer {
 public:
  explicit RandomImageLayer(const Seed& seed) : seed_(seed) {}

  Lowering lowering() const override { return Lowering::kOutputs; }
  void build(const Shape& input) override { output_shape(input); }
  Shape output_shape(const Shape& input) override;
  Tensor call(const Tensor& x, const CallContext& context) override;

 protected:
  /// The images in training.
  virtual Tensor change(const Tensor& images, const CallContext& context) const = 0;
  /// The images elsewhere.
  virtual Tensor keep(const Tensor& images) const { return images; }
  virtual Shape shape_for(const Shape& images) const { return images; }

  /// One number in [low, high) for each row of the call, from the draws called `what`: (rows,) in float32 on the CPU.
  Tensor draw(const char* what, double low, double high, int64_t rows, const CallContext& context) const;

  const Seed& seed() const { return seed_; }

 private:
  Seed seed_;
};

/// (rows,) as (rows, 1, 1, 1) of the type and device of `images`.
Tensor by_row(const Tensor& numbers, const Tensor& images);

}  // namespace tandem
