#pragma once
#include <string>

#include "tandem/core/tensor.h"
#include "tandem/layers/axes.h"
#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

struct NormalizationOptions {
  Axes axis = -1;    // along which each index has a mean and a variance of its own; none, `{}`: one for all values
  Tensor mean = {};  // given both, or neither: then adapt finds them
  Tensor variance = {};
  bool invert = false;
  std::string name = {};
};

/// (x - mean) / max(sqrt(variance), 1e-7), or with `invert` the way back; the shape stays, whole numbers become
/// float32. As keras.layers.Normalization. The mean and the variance have the sizes of `axis`, or shapes that broadcast
/// to them. Unless they are given, they are weights that are not trained (mean, variance, and Keras's count, which
/// means nothing), found by adapt or loaded from a file.
///
/// Throws InvalidArgument on one of the two without the other, on shapes that do not fit, on an axis that the input has
/// not or of unknown size, and when an input's axes differ from those it was built for.
class Normalization : public LayerHandle {
 public:
  explicit Normalization(NormalizationOptions options = {});
  static Normalization from_config(const Config& config);

  /// Takes the mean and the variance of `data`, whose first axis is the rows. Builds the layer if need be. Throws
  /// InvalidArgument when they were given, and on data without rows or of another shape.
  void adapt(const Tensor& data) const;
};

}  // namespace tandem::layers
