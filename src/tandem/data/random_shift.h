#pragma once
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tandem/data/transform.h"
#include "tandem/kernels/image_shift.h"

namespace tandem::data {

struct RandomShiftOptions {
  std::string fill_mode = "nearest";  // what lies beyond the edges: nearest, constant, reflect, wrap
  double cval = 0;                    // the value of fill_mode "constant"
};

/// Moves each image up or down and left or right by numbers of pixels drawn evenly from +-fraction * height and
/// +-fraction * width, bilinear between pixels, to float32: Keras's ImageDataGenerator with height_shift_range =
/// width_shift_range = fraction. Throws InvalidArgument unless 0 <= fraction < 1.
class RandomShift : public TransformHandle {
 public:
  explicit RandomShift(double fraction, const RandomShiftOptions& options = {});
};

/// What a RandomShift holds.
class RandomShiftTransform : public Transform {
 public:
  RandomShiftTransform(double fraction, const RandomShiftOptions& options);
  Batch apply(Batch batch, std::span<const RandomStream> rows) const override {
    return apply(std::move(batch), rows, {});
  }
  /// The same, and row i is mirrored left to right on the way where mirrored[i] is set (`mirrored` may be empty: none
  /// is).
  Batch apply(Batch batch, std::span<const RandomStream> rows, const std::vector<bool>& mirrored) const;
  std::string class_name() const override { return "RandomShift"; }

 private:
  double fraction_;
  kernels::Fill fill_;
};

}  // namespace tandem::data
