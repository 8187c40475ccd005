#include "tandem/layers/elu.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <cmath>

#include "tandem/core/error.h"

namespace tandem::layers {
namespace {

class ELULayer : public Layer {
 public:
  explicit ELULayer(double alpha) : alpha_(alpha) {
    if (!std::isfinite(alpha_)) throw InvalidArgument(c10::str("ELU: alpha must be finite, got ", alpha_));
  }

  std::string class_name() const override { return "ELU"; }
  bool supports_masking() const override { return true; }
  Config get_config() const override { return Config::object({{"alpha", alpha_}}); }
  Shape output_shape(const Shape& input) override { return input; }
  Tensor call(const Tensor& x, const CallContext&) override { return at::elu(x, alpha_); }

 private:
  double alpha_;
};

}  // namespace

ELU::ELU(ELUOptions options) : LayerHandle(make_remembered<ELULayer>(options.name, options.alpha)) {}

ELU ELU::from_config(const Config& config) { return ELU({.alpha = config.get("alpha", 1).as_double()}); }

}  // namespace tandem::layers
