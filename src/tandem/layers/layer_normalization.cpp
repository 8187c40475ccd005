#include "tandem/layers/layer_normalization.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <optional>
#include <tuple>

#include "tandem/core/error.h"
#include "tandem/layers/input_axes.h"
#include "tandem/layers/serialization.h"

namespace tandem::layers {
namespace {

class LayerNormalizationLayer : public Layer {
 public:
  explicit LayerNormalizationLayer(LayerNormalizationOptions options) : options_(std::move(options)) {
    if (!(options_.epsilon >= 0)) {
      throw InvalidArgument(c10::str("LayerNormalization: epsilon must not be negative, got ", options_.epsilon));
    }
  }

  std::string class_name() const override { return "LayerNormalization"; }
  Lowering lowering() const override { return Lowering::kOutputs; }
  bool supports_masking() const override { return true; }

  Config get_config() const override {
    return Config::object({{"axis", options_.axis.to_config()},
                           {"epsilon", options_.epsilon},
                           {"center", options_.center},
                           {"scale", options_.scale},
                           {"rms_scaling", false},
                           {"beta_initializer", to_config(options_.beta_initializer)},
                           {"gamma_initializer", to_config(options_.gamma_initializer)},
                           {"beta_regularizer", to_config(options_.beta_regularizer)},
                           {"gamma_regularizer", to_config(options_.gamma_regularizer)},
                           {"beta_constraint", to_config(options_.beta_constraint)},
                           {"gamma_constraint", to_config(options_.gamma_constraint)}});
  }

  void build(const Shape& input) override {
    // Keras sorts the numbers as they are given, negative ones first: gamma and beta have their axes in that order.
    auto numbers = options_.axis.numbers();
    std::sort(numbers.begin(), numbers.end());
    options_.axis = Axes(numbers);  // a list from now on, also in the config
    axes_ = input_axes(*this, options_.axis, input);
    rank_ = input.rank();
    std::vector<int64_t> sizes;
    for (const int64_t axis : axes_) {
      if (input[axis] <= 0) {
        throw_shape_error(*this, c10::str("axis ", axis, " of the input must be known and positive"), input);
      }
      sizes.push_back(input[axis]);
    }
    const Shape shape = Shape::of(sizes);
    if (options_.scale) {
      gamma_ = add_weight("gamma", shape,
                          {.initializer = options_.gamma_initializer,
                           .regularizer = options_.gamma_regularizer,
                           .constraint = options_.gamma_constraint});
    }
    if (options_.center) {
      beta_ = add_weight("beta", shape,
                         {.initializer = options_.beta_initializer,
                          .regularizer = options_.beta_regularizer,
                          .constraint = options_.beta_constraint});
    }

    std::sort(axes_.begin(), axes_.end());
    sizes_.clear();
    broadcast_.assign(static_cast<std::size_t>(rank_), 1);
    for (const int64_t axis : axes_) {
      sizes_.push_back(input[axis]);
      broadcast_[static_cast<std::size_t>(axis)] = input[axis];
    }
    last_axes_ = axes_.front() == rank_ - static_cast<int64_t>(axes_.size());
  }

  Shape output_shape(const Shape& input) override {
    bool fits = input.rank() == rank_;
    for (std::size_t i = 0; fits && i < axes_.size(); ++i) fits = input[axes_[i]] == sizes_[i];
    if (!fits) {
      throw_shape_error(*this,
                        c10::str("input must have rank ", rank_, " and sizes ", Shape::of(sizes_), " at axes ",
                                 Shape::of(axes_), ", as when it was built"),
                        input);
    }
    return input;
  }

  Tensor call(const Tensor& x, const CallContext&) override {
    check(x);
    if (last_axes_) {
      return std::get<0>(
          at::native_layer_norm(x, sizes_, shaped(gamma_, sizes_), shaped(beta_, sizes_), options_.epsilon));
    }
    const Tensor centred = x - x.mean(axes_, /*keepdim=*/true);
    Tensor factor = at::rsqrt(centred.square().mean(axes_, /*keepdim=*/true) + options_.epsilon);
    if (gamma_.defined()) factor = factor * gamma_.value().reshape(broadcast_);
    const Tensor out = centred * factor;
    return beta_.defined() ? out + beta_.value().reshape(broadcast_) : out;
  }

 private:
  void check(const Tensor& x) {
    bool fits = x.dim() == rank_;
    for (std::size_t i = 0; fits && i < axes_.size(); ++i) fits = x.size(axes_[i]) == sizes_[i];
    if (!fits) output_shape(Shape::of(x.sizes().vec()));
  }

  static std::optional<Tensor> shaped(const Weight& weight, const std::vector<int64_t>& sizes) {
    return weight.defined() ? std::optional(weight.value().reshape(sizes)) : std::nullopt;
  }

  LayerNormalizationOptions options_;
  int64_t rank_ = 0;
  std::vector<int64_t> axes_, sizes_;  // from the front, ascending; the input's sizes there
  std::vector<int64_t> broadcast_;     // sizes_ at axes_, 1 elsewhere
  bool last_axes_ = false;
  Weight gamma_, beta_;
};

}  // namespace

LayerNormalization::LayerNormalization(LayerNormalizationOptions options)
    : LayerHandle(make_remembered<LayerNormalizationLayer>(options.name, options)) {}

LayerNormalization LayerNormalization::from_config(const Config& config) {
  refuse_settings(config, "LayerNormalization", {"rms_scaling"});
  return LayerNormalization({.axis = Axes::from_config(config.get("axis", -1)),
                             .epsilon = config.get("epsilon", 1e-3).as_double(),
                             .center = config.get("center", true).as_bool(),
                             .scale = config.get("scale", true).as_bool(),
                             .beta_initializer = initializer_from(config, "beta_initializer", "zeros"),
                             .gamma_initializer = initializer_from(config, "gamma_initializer", "ones"),
                             .beta_regularizer = regularizer_from(config, "beta_regularizer"),
                             .gamma_regularizer = regularizer_from(config, "gamma_regularizer"),
                             .beta_constraint = constraint_from(config, "beta_constraint"),
                             .gamma_constraint = constraint_from(config, "gamma_constraint")});
}

}  // namespace tandem::layers
