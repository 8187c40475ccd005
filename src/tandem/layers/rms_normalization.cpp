#include "tandem/layers/rms_normalization.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"
#include "tandem/layers/input_axes.h"

namespace tandem::layers {
namespace {

class RMSNormalizationLayer : public Layer {
 public:
  explicit RMSNormalizationLayer(const RMSNormalizationOptions& options)
      : axis_(options.axis), epsilon_(options.epsilon) {
    if (!(epsilon_ >= 0)) {
      throw InvalidArgument(c10::str("RMSNormalization: epsilon must not be negative, got ", epsilon_));
    }
  }

  std::string class_name() const override { return "RMSNormalization"; }
  Lowering lowering() const override { return Lowering::kOutputs; }
  Config get_config() const override { return Config::object({{"axis", axis_.to_config()}, {"epsilon", epsilon_}}); }

  void build(const Shape& input) override {
    auto numbers = axis_.numbers();
    std::sort(numbers.begin(), numbers.end());
    axis_ = Axes(numbers);  // a list from now on, also in the config, as in Keras
    axes_ = input_axes(*this, axis_, input);
    std::sort(axes_.begin(), axes_.end());
    // Keras multiplies by the scale as it is, so that it would fall on the last axes whichever were normalised.
    if (axes_.front() != input.rank() - static_cast<int64_t>(axes_.size())) {
      throw_shape_error(*this, c10::str("axis must name the last axes and not ", axis_.to_config().shown()), input);
    }
    std::vector<int64_t> sizes;
    for (const int64_t axis : axes_) {
      if (input[axis] <= 0) {
        throw_shape_error(*this, c10::str("axis ", axis, " of the input must be known and positive"), input);
      }
      sizes.push_back(input[axis]);
    }
    scale_ = add_weight("scale", Shape::of(sizes), {.initializer = "ones"});
  }

  Shape output_shape(const Shape& input) override {
    bool fits = input.rank() == axes_.back() + 1;
    for (std::size_t i = 0; fits && i < axes_.size(); ++i) {
      fits = input[axes_[i]] == scale_.shape()[static_cast<int64_t>(i)];
    }
    if (!fits) {
      throw_shape_error(*this,
                        c10::str("input must have rank ", axes_.back() + 1, " and end in the sizes ", scale_.shape(),
                                 ", as when it was built"),
                        input);
    }
    return input;
  }

  Tensor call(const Tensor& x, const CallContext&) override {
    output_shape(Shape::of(x.sizes().vec()));
    return x * at::rsqrt((x * x).mean(axes_, /*keepdim=*/true) + epsilon_) * scale_.value();
  }

 private:
  Axes axis_;
  double epsilon_;
  std::vector<int64_t> axes_;  // from the front, ascending
  Weight scale_;
};

}  // namespace

RMSNormalization::RMSNormalization(RMSNormalizationOptions options)
    : LayerHandle(make_remembered<RMSNormalizationLayer>(options.name, options)) {}

RMSNormalization RMSNormalization::from_config(const Config& config) {
  return RMSNormalization(
      {.axis = Axes::from_config(config.get("axis", -1)), .epsilon = config.get("epsilon", 1e-6).as_double()});
}

}  // namespace tandem::layers
