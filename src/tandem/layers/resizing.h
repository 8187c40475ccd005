#pragma once
#include <cstdint>
#include <string>

#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

struct ResizingOptions {
  std::string interpolation = "bilinear";  // or "nearest"
  bool crop_to_aspect_ratio = false;
  bool pad_to_aspect_ratio = false;
  std::string fill_mode = "constant";  // the only one, as in Keras
  double fill_value = 0;
  bool antialias = false;  // true is not supported
  std::string name = {};
};

/// Images (batch, height', width', channels) as (batch, height, width, channels). As keras.layers.Resizing on
/// TensorFlow, to the same pixels: `Resizing(224, 224)`. crop_to_aspect_ratio first cuts the images' middle to the
/// shape that is asked for, pad_to_aspect_ratio first puts fill_value around them. Whole numbers stay whole numbers,
/// rounded.
///
/// Throws InvalidArgument on sizes that are not positive, another interpolation or fill_mode, both aspect ratio options
/// at once, antialias, and an input of rank other than 4.
class Resizing : public LayerHandle {
 public:
  Resizing(int64_t height, int64_t width, ResizingOptions options = {});
  static Resizing from_config(const Config& config);
};

}  // namespace tandem::layers
