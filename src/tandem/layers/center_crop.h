#pragma once
#include <cstdint>
#include <string>

#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

struct CenterCropOptions {
  std::string name = {};
};

/// The middle of images (batch, height', width', channels): (batch, height, width, channels). An image that is too
/// small on one side is resized bilinearly, after its middle was cut to the shape that is asked for; whole numbers
/// become float32. As keras.layers.CenterCrop. Throws InvalidArgument on sizes that are not positive, and an input of
/// rank other than 4.
class CenterCrop : public LayerHandle {
 public:
  CenterCrop(int64_t height, int64_t width, CenterCropOptions options = {});
  static CenterCrop from_config(const Config& config);
};

}  // namespace tandem::layers
