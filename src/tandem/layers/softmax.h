#pragma once
#include <string>

#include "tandem/layers/axes.h"
#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

struct SoftmaxOptions {
  Axes axis = -1;
  std::string name = {};
};

/// exp(x) divided by its sum over `axis`, or over several axes together. The shape stays. As keras.layers.Softmax;
/// over the last axis a crossentropy behind it is computed from x. Throws InvalidArgument on an axis that the input has
/// not or that is the batch.
class Softmax : public LayerHandle {
 public:
  explicit Softmax(SoftmaxOptions options = {});
  static Softmax from_config(const Config& config);
};

}  // namespace tandem::layers
