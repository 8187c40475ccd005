#include "tandem/layers/prelu.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/layers/axes.h"
#include "tandem/layers/weight_config.h"

namespace tandem::layers {
namespace {

class PReLULayer : public Layer {
 public:
  explicit PReLULayer(PReLUOptions options)
      : alpha_options_{.initializer = options.alpha_initializer,
                       .regularizer = options.alpha_regularizer,
                       .constraint = options.alpha_constraint},
        shared_axes_(std::move(options.shared_axes)) {}

  std::string class_name() const override { return "PReLU"; }
  bool supports_masking() const override { return true; }
  Config get_config() const override {
    Config config = Config::object();
    add_weight_config(config, "alpha", alpha_options_);
    config.set("shared_axes", shared_axes_.empty() ? Config() : Config::list(shared_axes_));
    return config;
  }

  void build(const Shape& input) override {
    if (input.empty()) throw_shape_error(*this, "input must have a batch axis", input);
    Shape shape = input.without_batch();
    for (const int64_t axis : shared_axes_) {
      if (axis < 1 || axis >= input.rank()) {
        throw_shape_error(*this, c10::str("shared axis ", axis, " must be one of the input's and not the batch"),
                          input);
      }
      shape[axis - 1] = 1;
    }
    if (!shape.is_known()) {
      throw_shape_error(*this, "the axes of the input that are not in shared_axes must be known", input);
    }
    alpha_ = add_weight("alpha", shape, alpha_options_);
  }

  Shape output_shape(const Shape& input) override {
    bool fits = input.rank() == alpha_.shape().rank() + 1;
    for (int64_t axis = 1; fits && axis < input.rank(); ++axis) {
      const int64_t slopes = alpha_.shape()[axis - 1];
      fits = slopes == input[axis] || slopes == 1 || input[axis] == Shape::kUnknown;
    }
    if (!fits) throw_shape_error(*this, c10::str("input must have slopes ", alpha_.shape(), " for each row"), input);
    return input;
  }

  /// The gradient at 0 is 0, as Keras's.
  Tensor call(const Tensor& x, const CallContext&) override {
    output_shape(Shape::of(x.sizes().vec()));
    return at::addcmul(at::relu(x), alpha_.value(), at::relu(-x), -1);
  }

 private:
  WeightOptions alpha_options_;
  std::vector<int64_t> shared_axes_;
  Weight alpha_;
};

}  // namespace

PReLU::PReLU(PReLUOptions options) : LayerHandle(make_remembered<PReLULayer>(options.name, options)) {}

PReLU PReLU::from_config(const Config& config) {
  const WeightOptions alpha = weight_options_from(config, "alpha", "zeros");
  PReLUOptions options{.alpha_initializer = alpha.initializer,
                       .alpha_regularizer = alpha.regularizer,
                       .alpha_constraint = alpha.constraint};
  if (const Config axes = config.get("shared_axes", {}); !axes.is_null()) {
    options.shared_axes = Axes::from_config(axes).numbers();
  }
  return PReLU(options);
}

}  // namespace tandem::layers
