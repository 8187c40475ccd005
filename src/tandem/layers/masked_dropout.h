#pragma once
#include <string>

#include "tandem/layers/layer.h"
#include "tandem/layers/noise.h"

namespace tandem {

/// Base of the layers that drop elements at random in training, with draws that a noise_shape may share.
class MaskedDropoutLayer : public Layer {
 public:
  /// Throws InvalidArgument when rate is not in [0, 1) or noise_shape has other numbers than sizes, 1 and -1.
  MaskedDropoutLayer(std::string class_name, double rate, Shape noise_shape, const Seed& seed);

  std::string class_name() const override { return class_name_; }
  bool supports_masking() const override { return true; }
  Config get_config() const override;
  Shape output_shape(const Shape& input) override;
  Tensor call(const Tensor& x, const CallContext& context) override;

 protected:
  /// The output: `mask` is this call's own, 1 where an element is kept and 0 where not, and fits x by broadcasting.
  virtual Tensor drop(const Tensor& x, Tensor mask) const = 0;
  double rate() const { return rate_; }

 private:
  std::string class_name_;
  double rate_;
  Shape noise_shape_;
  Seed seed_;
};

}  // namespace tandem
