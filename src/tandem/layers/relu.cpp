#include "tandem/layers/relu.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/layers/extreme.h"

namespace tandem::layers {
namespace {

class ReLULayer : public Layer {
 public:
  explicit ReLULayer(ReLUOptions options) : options_(std::move(options)) {
    const auto must_not_be_negative = [](const char* what, double value) {
      if (!(value >= 0)) throw InvalidArgument(c10::str("ReLU: ", what, " must not be negative, got ", value));
    };
    if (options_.max_value) must_not_be_negative("max_value", *options_.max_value);
    must_not_be_negative("negative_slope", options_.negative_slope);
    must_not_be_negative("threshold", options_.threshold);
  }

  std::string class_name() const override { return "ReLU"; }
  bool supports_masking() const override { return true; }
  Config get_config() const override {
    return Config::object({{"max_value", options_.max_value ? Config(*options_.max_value) : Config()},
                           {"negative_slope", options_.negative_slope},
                           {"threshold", options_.threshold}});
  }

  Shape output_shape(const Shape& input) override { return input; }

  bool is_relu() const override {
    return !options_.max_value && options_.negative_slope == 0 && options_.threshold == 0;
  }

  Tensor call(const Tensor& x, const CallContext&) override {
    const double slope = options_.negative_slope, threshold = options_.threshold;
    if (!options_.max_value && threshold == 0) return slope == 0 ? at::relu(x) : at::leaky_relu(x, slope);
    const Tensor above = above_threshold(x);
    return slope == 0 ? above : above - slope * at::relu(threshold - x);
  }

 private:
  /// Of such operators that the gradients at the limits themselves are those of Keras on TensorFlow.
  Tensor above_threshold(const Tensor& x) const {
    if (options_.threshold == 0 && options_.max_value == 6) return at::relu6(x);
    const Tensor out = options_.threshold == 0 ? at::relu(x) : at::threshold(x, options_.threshold, 0);
    return options_.max_value ? smaller_of(out, at::scalar_tensor(*options_.max_value, out.options())) : out;
  }

  ReLUOptions options_;
};

}  // namespace

ReLU::ReLU(ReLUOptions options) : LayerHandle(make_remembered<ReLULayer>(options.name, options)) {}

ReLU ReLU::from_config(const Config& config) {
  ReLUOptions options;
  if (const Config value = config.get("max_value", {}); !value.is_null()) options.max_value = value.as_double();
  options.negative_slope = config.get("negative_slope", 0).as_double();
  options.threshold = config.get("threshold", 0).as_double();
  return ReLU(options);
}

}  // namespace tandem::layers
