#pragma once
#include <span>
#include <string>
#include <vector>

#include "tandem/data/transform.h"

namespace tandem::data {

/// Mirrors each image with probability 1/2: "horizontal" (left to right), "vertical" (top to bottom), or
/// "horizontal_and_vertical", which draws for each direction. As Keras's RandomFlip. Throws InvalidArgument on another
/// mode.
class RandomFlip : public TransformHandle {
 public:
  explicit RandomFlip(const std::string& mode = "horizontal_and_vertical");
};

/// What a RandomFlip holds.
class RandomFlipTransform : public Transform {
 public:
  explicit RandomFlipTransform(const std::string& mode);
  Batch apply(Batch batch, std::span<const RandomStream> rows) const override;
  std::string class_name() const override { return "RandomFlip"; }

  bool is_vertical() const { return vertical_; }
  /// Which rows are mirrored left to right.
  std::vector<bool> mirrored(std::span<const RandomStream> rows) const;

 private:
  bool horizontal_, vertical_;
};

}  // namespace tandem::data
