#include "tandem/layers/batch_normalization.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>

#include <numeric>
#include <tuple>

#include "tandem/core/error.h"
#include "tandem/core/mask.h"
#include "tandem/kernels/channel_statistics.h"
#include "tandem/layers/batch_norm_relu.h"
#include "tandem/layers/batch_statistics.h"
#include "tandem/layers/serialization.h"
#include "tandem/layers/window.h"

namespace tandem::layers {
namespace {

class BatchNormalizationLayer : public Layer {
 public:
  explicit BatchNormalizationLayer(BatchNormalizationOptions options) : options_(std::move(options)) {
    if (!(options_.epsilon > 0))
      throw InvalidArgument(c10::str("BatchNormalization: epsilon must be positive, got ", options_.epsilon));
    if (!(options_.momentum >= 0 && options_.momentum <= 1)) {
      throw InvalidArgument(c10::str("BatchNormalization: momentum must be in [0, 1], got ", options_.momentum));
    }
  }

  std::string class_name() const override { return "BatchNormalization"; }
  Lowering lowering() const override { return Lowering::kOutputs; }
  bool supports_masking() const override { return true; }

  Config get_config() const override {
    return Config::object({{"axis", options_.axis},
                           {"momentum", options_.momentum},
                           {"epsilon", options_.epsilon},
                           {"center", options_.center},
                           {"scale", options_.scale},
                           {"beta_initializer", to_config(options_.beta_initializer)},
                           {"gamma_initializer", to_config(options_.gamma_initializer)},
                           {"moving_mean_initializer", to_config(options_.moving_mean_initializer)},
                           {"moving_variance_initializer", to_config(options_.moving_variance_initializer)},
                           {"beta_regularizer", to_config(options_.beta_regularizer)},
                           {"gamma_regularizer", to_config(options_.gamma_regularizer)},
                           {"beta_constraint", to_config(options_.beta_constraint)},
                           {"gamma_constraint", to_config(options_.gamma_constraint)},
                           {"synchronized", options_.synchronized},
                           {"renorm", false},
                           {"renorm_clipping", {}},
                           {"renorm_momentum", 0.99}});
  }

  void build(const Shape& input) override {
    rank_ = input.rank();
    axis_ = options_.axis < 0 ? options_.axis + rank_ : options_.axis;
    if (axis_ < 1 || axis_ >= rank_) {
      throw_shape_error(*this, c10::str("axis ", options_.axis, " must be one of the input's and not the batch"),
                        input);
    }
    channels_ = input[axis_];
    if (channels_ <= 0)
      throw_shape_error(*this, c10::str("axis ", options_.axis, " of the input must be known and positive"), input);
    const auto add = [&](const char* name, const Handle<Initializer>& initializer, bool trainable,
                         const Handle<Regularizer>& penalty = {}, const Handle<Constraint>& constraint = {}) {
      return add_weight(
          name, {channels_},
          {.initializer = initializer, .trainable = trainable, .regularizer = penalty, .constraint = constraint});
    };
    if (options_.scale)
      gamma_ = add("gamma", options_.gamma_initializer, true, options_.gamma_regularizer, options_.gamma_constraint);
    if (options_.center)
      beta_ = add("beta", options_.beta_initializer, true, options_.beta_regularizer, options_.beta_constraint);
    moving_mean_ = add("moving_mean", options_.moving_mean_initializer, false);
    moving_variance_ = add("moving_variance", options_.moving_variance_initializer, false);
    moving_mean_.variable().of_whole_batch = moving_variance_.variable().of_whole_batch = options_.synchronized;
  }

  Shape output_shape(const Shape& input) override {
    if (input.rank() != rank_ || input[axis_] != channels_) throw_wrong_input(input);
    return input;
  }

  Tensor call(const Tensor& x, const CallContext& context) override {
    if (x.dim() != rank_ || x.size(axis_) != channels_) throw_wrong_input(Shape::of(x.sizes().vec()));
    if (x.numel() == 0) return without_rows(x);
    const bool training = context.training && trainable();
    if (training && (joined(context) || mask_of(x).defined())) return normalize_by_parts(x, context);
    // The kernel wants the channels as axis 1. For channels last that is a view in the layout that it is fastest in.
    if (axis_ != rank_ - 1) return at::movedim(normalize(at::movedim(x, axis_, 1), training, context), 1, axis_);
    if (rank_ == 4) return to_channels_last(normalize(to_channels_first(x), training, context));
    const Tensor rows = x.reshape({-1, 1, 1, channels_});
    return to_channels_last(normalize(to_channels_first(rows), training, context)).view(x.sizes());
  }

  bool can_apply_relu() const override { return true; }

  Tensor call_with_relu(const Tensor& x, const CallContext& context) override {
    const bool fused = axis_ == rank_ - 1 && x.dim() == rank_ && x.size(-1) == channels_ && can_fuse_relu(x);
    const bool training = context.training && trainable();
    if (!fused || (training && (joined(context) || mask_of(x).defined()))) return Layer::call_with_relu(x, context);
    kernels::ChannelStatistics statistics{moving_mean_.value(), moving_variance_.value()};
    if (training) {
      statistics = kernels::channel_statistics(x);
      move_towards(statistics.mean, statistics.variance, count_of(x), context);
    }
    return batch_norm_relu(x, given(gamma_), given(beta_), statistics, options_.epsilon, training);
  }

 private:
  [[noreturn]] void throw_wrong_input(const Shape& got) const {
    throw_shape_error(
        *this,
        c10::str("input must have rank ", rank_, " and size ", channels_, " at axis ", axis_, ", as when it was built"),
        got);
  }

  static std::optional<Tensor> given(const Weight& weight) {
    return weight.defined() ? std::optional(weight.value()) : std::nullopt;
  }

  /// No rows have no statistics and the kernels refuse them; gamma and beta still get gradients, of zeros.
  Tensor without_rows(const Tensor& x) const {
    Tensor out = at::movedim(x, axis_, -1);
    if (gamma_.defined()) out = out * gamma_.value();
    if (beta_.defined()) out = out + beta_.value();
    return at::movedim(out, -1, axis_);
  }

  Tensor normalize(const Tensor& x, bool training, const CallContext& context) {
    const auto gamma = given(gamma_), beta = given(beta_);
    const Tensor &moving_mean = moving_mean_.value(), &moving_variance = moving_variance_.value();
    if (!training) {
      return std::get<0>(
          at::native_batch_norm(x, gamma, beta, moving_mean, moving_variance, false, 0, options_.epsilon));
    }
    // Without moving statistics, since the kernel would put the unbiased variance into them.
    auto [out, mean, inverse_deviation] = at::native_batch_norm(x, gamma, beta, {}, {}, true, 0, options_.epsilon);
    c10::NoGradGuard no_grad;
    move_towards(mean, inverse_deviation.pow(-2).sub_(options_.epsilon).clamp_min_(0), count_of(x), context);
    return out;
  }

  // A layer that is alone has the whole batch, and the faster kernels.
  bool joined(const CallContext& context) const { return options_.synchronized && context.replicas; }

  // Statistics over all replicas, or of the steps that a mask lets count, or both. Of operations that autograd goes
  // back through, the sums over the replicas included: the gradients that replicas owe one another through mean and
  // variance are theirs. Distances from the mean are squared, and not the values themselves, since the difference of
  // two large sums has few digits.
  Tensor normalize_by_parts(const Tensor& x, const CallContext& context) {
    const auto sum = [&](const Tensor& own) { return joined(context) ? context.sum_over_replicas(own) : own; };
    const Tensor values = at::movedim(x, axis_, -1);
    std::vector<int64_t> rows(static_cast<std::size_t>(rank_ - 1));
    std::iota(rows.begin(), rows.end(), 0);
    const Tensor counted = counted_values(x);  // undefined: all
    const auto total = [&](const Tensor& y) { return (counted.defined() ? y * counted : y).sum(rows); };
    const Tensor own_count = counted.defined()
                                 ? counted.sum(rows)
                                 : at::full({1}, static_cast<double>(values.numel() / channels_), values.options());
    const Tensor totals = sum(at::cat({total(values), own_count}));
    Tensor count = totals.narrow(0, channels_, own_count.size(0)).detach();
    if (counted.defined()) count = count + kNoneCounted;
    const Tensor mean = totals.narrow(0, 0, channels_) / count;
    const Tensor centred = values - mean;
    const Tensor variance = sum(total(centred.square())) / count;
    // Whoever wants the number waits for it, which a GPU would notice.
    move_towards(mean, variance, context.statistics ? count.max().item<double>() : 0, context);
    Tensor factor = at::rsqrt(variance + options_.epsilon);
    if (gamma_.defined()) factor = factor * gamma_.value();
    Tensor out = centred * factor;
    if (beta_.defined()) out = out + beta_.value();
    return at::movedim(out, -1, axis_);
  }

  // 1 where the mask of x lets a value count and 0 where not, with the channels as the last axis; undefined without
  // one.
  Tensor counted_values(const Tensor& x) const {
    const Tensor mask = mask_of(x);
    if (!mask.defined()) return {};
    if (mask.dim() != x.dim() - 1)
      throw_shape_error(*this, "the input's mask must have all its axes but the last", Shape::of(mask.sizes().vec()));
    return at::movedim(mask.unsqueeze(-1).expand_as(x), axis_, -1).to(x.scalar_type());
  }

  double count_of(const Tensor& x) const { return static_cast<double>(x.numel()) / static_cast<double>(channels_); }

  // `count`: the values of a channel that mean and variance are of.
  void move_towards(const Tensor& mean, const Tensor& variance, double count, const CallContext& context) {
    if (context.statistics)
      return context.statistics->add({moving_mean_, moving_variance_, options_.momentum}, mean, variance, count);
    c10::NoGradGuard no_grad;
    moving_mean_.value().lerp_(mean, 1 - options_.momentum);
    moving_variance_.value().lerp_(variance, 1 - options_.momentum);
  }

  static constexpr double kNoneCounted = 1e-7;  // as Keras, so that a batch that is masked whole divides by no zero
  BatchNormalizationOptions options_;
  int64_t rank_ = 0, axis_ = 0, channels_ = 0;
  Weight gamma_, beta_, moving_mean_, moving_variance_;
};

}  // namespace

BatchNormalization::BatchNormalization(BatchNormalizationOptions options)
    : LayerHandle(make_remembered<BatchNormalizationLayer>(options.name, options)) {}

BatchNormalization BatchNormalization::from_config(const Config& config) {
  refuse_settings(config, "BatchNormalization", {"renorm"});
  Config axis = config.get("axis", -1);
  if (axis.is_list() && axis.as_list().size() == 1) axis = Config(axis.as_list().front());  // as older Keras wrote it
  return BatchNormalization(
      {.axis = axis.as_int(),
       .momentum = config.get("momentum", 0.99).as_double(),
       .epsilon = config.get("epsilon", 1e-3).as_double(),
       .center = config.get("center", true).as_bool(),
       .scale = config.get("scale", true).as_bool(),
       .beta_initializer = initializer_from(config, "beta_initializer", "zeros"),
       .gamma_initializer = initializer_from(config, "gamma_initializer", "ones"),
       .moving_mean_initializer = initializer_from(config, "moving_mean_initializer", "zeros"),
       .moving_variance_initializer = initializer_from(config, "moving_variance_initializer", "ones"),
       .beta_regularizer = regularizer_from(config, "beta_regularizer"),
       .gamma_regularizer = regularizer_from(config, "gamma_regularizer"),
       .beta_constraint = constraint_from(config, "beta_constraint"),
       .gamma_constraint = constraint_from(config, "gamma_constraint"),
       .synchronized = config.get("synchronized", false).as_bool()});
}

}  // namespace tandem::layers
