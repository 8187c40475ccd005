#pragma once
#include <memory>
#include <string>

#include "tandem/layers/layer_handle.h"
#include "tandem/layers/noise.h"

namespace tandem {

/// SpatialDropout1D, SpatialDropout2D and SpatialDropout3D: Dropout with one draw for all places of a channel.
class SpatialDropoutLayer : public Layer {
 public:
  /// `axes`: spatial ones. Throws InvalidArgument when rate is not in [0, 1).
  SpatialDropoutLayer(std::string class_name, std::size_t axes, double rate, const Seed& seed);

  std::string class_name() const override { return class_name_; }
  bool supports_masking() const override { return true; }
  Config get_config() const override;
  Shape output_shape(const Shape& input) override;
  Tensor call(const Tensor& x, const CallContext& context) override;

 private:
  std::string class_name_;
  std::size_t axes_;
  double rate_;
  Seed seed_;
};

}  // namespace tandem
