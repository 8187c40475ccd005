#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>

#include "tandem/layers/layer_handle.h"
#include "tandem/layers/spatial_size.h"

namespace tandem::layers {

struct UpSampling3DOptions {
  std::string name = {};
};

/// Volumes (batch, depth, height, width, channels) with each plane size[0], each row size[1] and each column size[2]
/// times. As keras.layers.UpSampling3D. Throws InvalidArgument on sizes that are not positive, or an input of rank
/// other than 5.
class UpSampling3D : public LayerHandle {
 public:
  explicit UpSampling3D(Size3D size = 2, UpSampling3DOptions options = {});
  /// `UpSampling3D({2})` and `UpSampling3D({1, 2, 3})`: one number for all axes or three.
  explicit UpSampling3D(std::initializer_list<int64_t> size, UpSampling3DOptions options = {});
  static UpSampling3D from_config(const Config& config);
};

}  // namespace tandem::layers
