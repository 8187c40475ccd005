#pragma once
#include "tandem/data/fill_options.h"
#include "tandem/data/range.h"
#include "tandem/data/transform.h"

namespace tandem::data {

/// Zooms each image about its middle, upright and across by factors drawn apart: `RandomZoom(0.2)` by 0.8 to 1.2,
/// `RandomZoom({0.5, 1})` by these. Bilinear between pixels, to float32: Keras's ImageDataGenerator with zoom_range.
/// Throws InvalidArgument unless 0 < low <= high.
class RandomZoom : public TransformHandle {
 public:
  explicit RandomZoom(const ZoomRange& range, const FillOptions& options = {});
};

}  // namespace tandem::data
