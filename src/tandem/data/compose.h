#pragma once
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "tandem/data/transform.h"

namespace tandem::data {

/// Transforms one after the other: `Compose({RandomShift(0.1), RandomFlip("horizontal"), Rescale(1.0 / 255)})`. Mapping
/// a Compose is the same, to the bit, as mapping its parts in turn.
class Compose : public TransformHandle {
 public:
  Compose(std::initializer_list<TransformHandle> parts);
  explicit Compose(std::vector<TransformHandle> parts);
};

/// What a Compose holds.
class ComposeTransform : public Transform {
 public:
  explicit ComposeTransform(std::vector<TransformHandle> parts);
  Batch apply(Batch batch, std::span<const RandomStream> rows) const override;
  std::string class_name() const override { return "Compose"; }
  const std::vector<TransformHandle>& parts() const { return parts_; }

 private:
  std::vector<TransformHandle> parts_;
};

}  // namespace tandem::data
