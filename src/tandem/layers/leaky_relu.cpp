#include "tandem/layers/leaky_relu.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"

namespace tandem::layers {
namespace {

class LeakyReLULayer : public Layer {
 public:
  explicit LeakyReLULayer(double negative_slope) : negative_slope_(negative_slope) {
    if (!(negative_slope_ >= 0)) {
      throw InvalidArgument(c10::str("LeakyReLU: negative_slope must not be negative, got ", negative_slope_));
    }
  }

  std::string class_name() const override { return "LeakyReLU"; }
  bool supports_masking() const override { return true; }
  Config get_config() const override { return Config::object({{"negative_slope", negative_slope_}}); }
  Shape output_shape(const Shape& input) override { return input; }
  Tensor call(const Tensor& x, const CallContext&) override { return at::leaky_relu(x, negative_slope_); }

 private:
  double negative_slope_;
};

}  // namespace

LeakyReLU::LeakyReLU(LeakyReLUOptions options)
    : LayerHandle(make_remembered<LeakyReLULayer>(options.name, options.negative_slope)) {}

LeakyReLU LeakyReLU::from_config(const Config& config) {
  const Config slope = config.get("negative_slope", config.get("alpha", 0.3));  // "alpha" of Keras 2
  return LeakyReLU({.negative_slope = slope.as_double()});
}

}  // namespace tandem::layers
