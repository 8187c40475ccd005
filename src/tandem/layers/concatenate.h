#pragma once
#include <string>

#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

struct ConcatenateOptions {
  int64_t axis = -1;
  std::string name = {};
};

/// Joins its inputs along `axis`; their other axes must agree. As keras.layers.Concatenate: `Concatenate()({a, b})`.
/// Throws InvalidArgument naming all shapes when they do not fit, or when axis is the batch.
class Concatenate : public LayerHandle {
 public:
  explicit Concatenate(ConcatenateOptions options = {});
  static Concatenate from_config(const Config& config);
};

}  // namespace tandem::layers
