#pragma once
#include <string>

#include "tandem/layers/axes.h"
#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

struct RMSNormalizationOptions {
  Axes axis = -1;
  double epsilon = 1e-6;
  std::string name = {};
};

/// scale * x / sqrt(mean(x^2) + epsilon) with each row's own mean over `axis`, the last one or the last ones (Zhang and
/// Sennrich 2019); the shape stays. As keras.layers.RMSNormalization. Weight: scale, with the sizes of the axes.
///
/// Throws InvalidArgument on a negative epsilon, on axes that are not the last ones or of unknown size, and when an
/// input's axes differ from those it was built for.
class RMSNormalization : public LayerHandle {
 public:
  explicit RMSNormalization(RMSNormalizationOptions options = {});
  static RMSNormalization from_config(const Config& config);
};

}  // namespace tandem::layers
