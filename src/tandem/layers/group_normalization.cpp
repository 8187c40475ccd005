#include "tandem/layers/group_normalization.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/layers/input_axes.h"
#include "tandem/layers/weight_config.h"

namespace tandem::layers {
namespace {

class GroupNormalizationLayer : public Layer {
 public:
  explicit GroupNormalizationLayer(const GroupNormalizationOptions& options)
      : groups_(options.groups),
        axis_(options.axis),
        epsilon_(options.epsilon),
        center_(options.center),
        scale_(options.scale),
        beta_options_{.initializer = options.beta_initializer,
                      .regularizer = options.beta_regularizer,
                      .constraint = options.beta_constraint},
        gamma_options_{.initializer = options.gamma_initializer,
                       .regularizer = options.gamma_regularizer,
                       .constraint = options.gamma_constraint} {
    if (groups_ <= 0 && groups_ != -1) {
      throw InvalidArgument(
          c10::str("GroupNormalization: groups must be positive, or -1 for one a channel, got ", groups_));
    }
    if (!(epsilon_ >= 0)) {
      throw InvalidArgument(c10::str("GroupNormalization: epsilon must not be negative, got ", epsilon_));
    }
  }

  std::string class_name() const override { return "GroupNormalization"; }
  Lowering lowering() const override { return Lowering::kOutputs; }
  bool supports_masking() const override { return true; }

  Config get_config() const override {
    Config config = Config::object(
        {{"groups", groups_}, {"axis", axis_}, {"epsilon", epsilon_}, {"center", center_}, {"scale", scale_}});
    add_weight_config(config, "beta", beta_options_);
    add_weight_config(config, "gamma", gamma_options_);
    return config;
  }

  void build(const Shape& input) override {
    channel_axis_ = input_axes(*this, axis_, input).front();
    rank_ = input.rank();
    channels_ = input[channel_axis_];
    if (channels_ <= 0) throw_shape_error(*this, "the channels of the input must be known and positive", input);
    if (groups_ == -1) groups_ = channels_;  // from now on, also in the config, as in Keras
    if (channels_ % groups_ != 0) {
      throw_shape_error(*this, c10::str("the channels of the input must be a multiple of groups (", groups_, ")"),
                        input);
    }
    if (scale_) gamma_ = add_weight("gamma", {channels_}, gamma_options_);
    if (center_) beta_ = add_weight("beta", {channels_}, beta_options_);
  }

  Shape output_shape(const Shape& input) override {
    if (input.rank() != rank_ || input[channel_axis_] != channels_) {
      throw_shape_error(*this,
                        c10::str("input must have rank ", rank_, " and ", channels_, " channels at axis ",
                                 channel_axis_, ", as when it was built"),
                        input);
    }
    return input;
  }

  Tensor call(const Tensor& x, const CallContext&) override {
    if (x.dim() != rank_ || x.size(channel_axis_) != channels_) output_shape(Shape::of(x.sizes().vec()));
    if (x.numel() == 0) return x * 1;  // LibTorch's operator refuses to have no rows
    const auto weight = [](const Weight& w) { return w.defined() ? std::optional(w.value()) : std::nullopt; };
    const auto normalized = [&](const Tensor& channels_first) {
      return at::group_norm(channels_first, groups_, weight(gamma_), weight(beta_), epsilon_);
    };
    if (channel_axis_ != rank_ - 1) {
      return normalized(x.movedim(channel_axis_, 1)).movedim(1, channel_axis_).contiguous();
    }
    // All places of a channel along one axis, as an image of width 1: the channels-last layout that the operator takes.
    const Tensor image = x.contiguous().view({x.size(0), -1, 1, channels_}).permute({0, 3, 1, 2});
    return normalized(image).permute({0, 2, 3, 1}).contiguous().view(x.sizes());
  }

 private:
  int64_t groups_, axis_;
  double epsilon_;
  bool center_, scale_;
  WeightOptions beta_options_, gamma_options_;
  int64_t rank_ = 0, channel_axis_ = 0, channels_ = 0;  // of the input
  Weight gamma_, beta_;
};

}  // namespace

GroupNormalization::GroupNormalization(GroupNormalizationOptions options)
    : LayerHandle(make_remembered<GroupNormalizationLayer>(options.name, options)) {}

GroupNormalization GroupNormalization::from_config(const Config& config) {
  const WeightOptions beta = weight_options_from(config, "beta", "zeros");
  const WeightOptions gamma = weight_options_from(config, "gamma", "ones");
  return GroupNormalization({.groups = config.get("groups", 32).as_int(),
                             .axis = config.get("axis", -1).as_int(),
                             .epsilon = config.get("epsilon", 1e-3).as_double(),
                             .center = config.get("center", true).as_bool(),
                             .scale = config.get("scale", true).as_bool(),
                             .beta_initializer = beta.initializer,
                             .gamma_initializer = gamma.initializer,
                             .beta_regularizer = beta.regularizer,
                             .gamma_regularizer = gamma.regularizer,
                             .beta_constraint = beta.constraint,
                             .gamma_constraint = gamma.constraint});
}

}  // namespace tandem::layers
