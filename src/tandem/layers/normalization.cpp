#include "tandem/layers/normalization.h"

#include <ATen/ATen.h>
#include <ATen/ExpandUtils.h>
#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"
#include "tandem/layers/number_array.h"

namespace tandem::layers {
namespace {

class NormalizationLayer : public Layer {
 public:
  explicit NormalizationLayer(NormalizationOptions options) : options_(std::move(options)) {
    if (options_.mean.defined() != options_.variance.defined())
      throw InvalidArgument("Normalization: mean and variance must be given both or neither, got one of them");
    if (!given()) return;
    if (options_.mean.sizes() != options_.variance.sizes()) {
      throw InvalidArgument(c10::str("Normalization: mean and variance must have one shape, got ",
                                     Shape::of(options_.mean.sizes().vec()), " and ",
                                     Shape::of(options_.variance.sizes().vec())));
    }
    // Tensors of its own, since the caller may go on writing to theirs; of a type that holds a config's numbers.
    options_.mean = options_.mean.detach().to(at::kDouble, /*non_blocking=*/false, /*copy=*/true);
    options_.variance = options_.variance.detach().to(at::kDouble, /*non_blocking=*/false, /*copy=*/true);
  }

  std::string class_name() const override { return "Normalization"; }
  Lowering lowering() const override { return Lowering::kOutputs; }
  bool supports_masking() const override { return true; }
  Config get_config() const override {
    return Config::object({{"axis", Config::list(options_.axis.numbers())},
                           {"invert", options_.invert},
                           {"mean", array_to_config(options_.mean)},
                           {"variance", array_to_config(options_.variance)}});
  }

  void build(const Shape& input) override {
    for (const int64_t number : options_.axis.numbers()) {
      const int64_t axis = number < 0 ? number + input.rank() : number;
      if (axis < 0 || axis >= input.rank() || input[axis] == Shape::kUnknown) {
        throw_shape_error(*this, c10::str("axis ", number, " must be one of the input's, of known size"), input);
      }
      axes_.push_back(axis);
    }
    std::sort(axes_.begin(), axes_.end());
    rank_ = input.rank();
    broadcast_.assign(static_cast<std::size_t>(rank_), 1);
    std::vector<int64_t> sizes;
    for (const int64_t axis : axes_) {
      sizes.push_back(input[axis]);
      broadcast_[static_cast<std::size_t>(axis)] = input[axis];
    }
    if (given()) {
      if (!at::is_expandable_to(options_.mean.sizes(), sizes)) {
        throw_shape_error(*this,
                          c10::str("the mean's shape ", Shape::of(options_.mean.sizes().vec()),
                                   " must fit the sizes at axis ", options_.axis.to_config().shown()),
                          input);
      }
      mean_ = options_.mean.to(at::kFloat).expand(sizes).reshape(broadcast_);
      deviation_ = deviation_of(options_.variance.to(at::kFloat).expand(sizes).reshape(broadcast_));
      return;
    }
    mean_weight_ = add_weight("mean", Shape::of(sizes), {.initializer = "zeros", .trainable = false});
    variance_weight_ = add_weight("variance", Shape::of(sizes), {.initializer = "ones", .trainable = false});
    add_weight("count", {}, {.initializer = "zeros", .trainable = false});
  }

  Shape output_shape(const Shape& input) override {
    bool fits = input.rank() == rank_;
    for (const int64_t axis : axes_) fits = fits && input[axis] == broadcast_[static_cast<std::size_t>(axis)];
    if (!fits) {
      throw_shape_error(
          *this, c10::str("input must have the sizes ", Shape::of(broadcast_), " except where they are 1"), input);
    }
    return input;
  }

  Tensor call(const Tensor& x, const CallContext&) override {
    output_shape(Shape::of(x.sizes().vec()));
    const Tensor in = x.is_floating_point() ? x : x.to(at::kFloat);
    const auto alike = [&](const Tensor& t) { return t.to(in.device(), in.scalar_type()); };
    const Tensor mean = alike(given() ? mean_ : mean_weight_.value().reshape(broadcast_));
    const Tensor deviation = alike(given() ? deviation_ : deviation_of(variance_weight_.value().reshape(broadcast_)));
    return options_.invert ? at::addcmul(mean, in, deviation) : (in - mean) / deviation;
  }

  void adapt(const Tensor& data) {
    if (given()) throw InvalidArgument("Normalization: adapt must not be called, since mean and variance were given");
    if (data.dim() == 0 || data.numel() == 0) {
      throw InvalidArgument(
          c10::str("Normalization: adapt needs data with rows, got the shape ", Shape::of(data.sizes().vec())));
    }
    Shape shape = Shape::of(data.sizes().vec());
    ensure_built(
        {std::find(options_.axis.numbers().begin(), options_.axis.numbers().end(), 0) == options_.axis.numbers().end()
             ? shape.without_batch().with_batch()
             : shape});
    output_shape(shape);
    std::vector<int64_t> others;
    for (int64_t axis = 0; axis < rank_; ++axis) {
      if (std::find(axes_.begin(), axes_.end(), axis) == axes_.end()) others.push_back(axis);
    }
    const Tensor values = data.detach().to(at::kDouble);  // the sum of many squares
    if (others.empty()) {
      mean_weight_.assign(values.to(at::kFloat));
      variance_weight_.assign(at::zeros_like(values, at::kFloat));
      return;
    }
    mean_weight_.assign(values.mean(others).to(at::kFloat));
    variance_weight_.assign(values.var(others, /*unbiased=*/false).to(at::kFloat));
  }

 private:
  bool given() const { return options_.mean.defined(); }
  static Tensor deviation_of(const Tensor& variance) {
    constexpr double kEpsilon = 1e-7;  // keras.backend.epsilon()
    return variance.sqrt().clamp_min(kEpsilon);
  }

  NormalizationOptions options_;
  int64_t rank_ = 0;
  std::vector<int64_t> axes_, broadcast_;  // from the front, ascending; the input's sizes there, 1 elsewhere
  Tensor mean_, deviation_;                // where they were given, of shape broadcast_
  Weight mean_weight_, variance_weight_;   // where not
};

}  // namespace

Normalization::Normalization(NormalizationOptions options)
    : LayerHandle(make_remembered<NormalizationLayer>(options.name, options)) {}

Normalization Normalization::from_config(const Config& config) {
  NormalizationOptions options;
  if (config.contains("axis")) {
    const Config axis = config.at("axis");
    options.axis = axis.is_null() ? Axes(std::vector<int64_t>()) : Axes::from_config(axis);
  }
  options.mean = array_from_config(config.get("mean", {}));
  options.variance = array_from_config(config.get("variance", {}));
  options.invert = config.get("invert", false).as_bool();
  return Normalization(options);
}

void Normalization::adapt(const Tensor& data) const { static_cast<NormalizationLayer&>(*get()).adapt(data); }

}  // namespace tandem::layers
