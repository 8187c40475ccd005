#pragma once
#include <initializer_list>
#include <string>

#include "tandem/layers/layer_handle.h"
#include "tandem/layers/spatial_size.h"

namespace tandem::layers {

struct UpSampling2DOptions {
  std::string interpolation = "nearest";  // or "bilinear"
  std::string name = {};
};

/// Images (batch, height, width, channels) made size[0] times as high and size[1] times as wide: by
/// repeating each pixel, or bilinearly as tf.image.resize. As keras.layers.UpSampling2D. Throws InvalidArgument on
/// sizes that are not positive, an unknown interpolation, or an input of rank other than 4.
class UpSampling2D : public LayerHandle {
 public:
  explicit UpSampling2D(Size2D size = 2, UpSampling2DOptions options = {});
  /// `UpSampling2D({2})` and `UpSampling2D({2, 3})`: one number for both axes or two.
  explicit UpSampling2D(std::initializer_list<int64_t> size, UpSampling2DOptions options = {});
  static UpSampling2D from_config(const Config& config);
};

}  // namespace tandem::layers
