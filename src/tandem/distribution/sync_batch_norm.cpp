#include "tandem/distribution/sync_batch_norm.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>
#include <torch/csrc/autograd/custom_function.h>

#include "tandem/core/error.h"

namespace tandem::distribute {
namespace {

// All axes but that of the channels.
std::vector<int64_t> axes_of_a_channel(const Tensor& x) {
  std::vector<int64_t> axes{0};
  for (int64_t d = 2; d < x.dim(); ++d) axes.push_back(d);
  return axes;
}

// (channels) so that it goes with `x`.
Tensor by_channel(const Tensor& values, const Tensor& x) {
  std::vector<int64_t> sizes(static_cast<std::size_t>(x.dim()), 1);
  sizes[1] = values.numel();
  return values.view(sizes);
}

// Types of 16 bits are computed with in float32.
Tensor wide(const Tensor& x) {
  return x.scalar_type() == at::kHalf || x.scalar_type() == at::kBFloat16 ? x.to(at::kFloat) : x;
}

// Of all ranks' values of each channel: float64, (channels).
struct ChannelStatistics {
  double count = 0;
  Tensor mean, squares;  // squares: the sum of squared differences from the mean
};

// Each rank's count, mean and squares are joined pairwise (Chan et al. 1979), which loses no digits where means are
// large beside the spread.
ChannelStatistics statistics(const Tensor& x, StatisticsExchange& exchange) {
  const int64_t channels = x.size(1);
  const int64_t count = x.numel() / std::max<int64_t>(channels, 1);
  Tensor own = at::zeros({1 + 2 * channels}, at::kDouble);
  own[0] = count;
  if (count > 0) {
    const auto [variance, mean] = at::var_mean(x, axes_of_a_channel(x), /*unbiased=*/false);
    own.narrow(0, 1, channels).copy_(mean);
    own.narrow(0, 1 + channels, channels).copy_(variance).mul_(count);
  }
  ChannelStatistics all{.mean = at::zeros({channels}, at::kDouble), .squares = at::zeros({channels}, at::kDouble)};
  for (const auto& part : exchange.gather(own)) {
    const double more = part[0].item<double>();
    if (more == 0) continue;
    const Tensor apart = part.narrow(0, 1, channels) - all.mean;
    const double sum = all.count + more;
    all.squares += part.narrow(0, 1 + channels, channels) + apart.square() * (all.count * more / sum);
    all.mean += apart * (more / sum);
    all.count = sum;
  }
  return all;
}

struct SyncBatchNormFunction : torch::autograd::Function<SyncBatchNormFunction> {
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& input,
                        const std::optional<Tensor>& weight, const std::optional<Tensor>& bias,
                        const ChannelStatistics* statistics, double epsilon,
                        const std::shared_ptr<StatisticsExchange>* exchange) {
    const Tensor x = wide(input);
    const auto like_x = x.options();
    const Tensor mean = statistics->mean.to(like_x);
    const Tensor scale = (statistics->squares / statistics->count + epsilon).rsqrt().to(like_x);
    context->save_for_backward({input, weight ? *weight : Tensor(), mean, scale});
    context->saved_data["count"] = statistics->count;
    context->saved_data["exchange"] = at::IValue::make_capsule(c10::make_intrusive<Kept>(*exchange));
    Tensor y = (x - by_channel(mean, x)) * by_channel(scale, x);
    if (weight) y = y * by_channel(wide(*weight), x) + by_channel(wide(*bias), x);
    return y.to(input.scalar_type());
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    if (c10::GradMode::is_enabled())
      throw InvalidArgument("SyncBatchNorm: gradients of gradients are not there, backward needs create_graph = false");
    const auto saved = context->get_saved_variables();
    const Tensor x = wide(saved[0]), dy = wide(gradients.front()), mean = saved[2], scale = saved[3];
    const int64_t channels = x.size(1);
    const double count = context->saved_data["count"].toDouble();
    auto& exchange = *static_cast<const Kept*>(context->saved_data["exchange"].toCapsule().get())->exchange;
    const Tensor normalised = (x - by_channel(mean, x)) * by_channel(scale, x);
    const auto axes = axes_of_a_channel(x);
    const Tensor of_bias = dy.sum(axes), of_weight = (dy * normalised).sum(axes);
    const Tensor sums = exchange.sum(at::cat({of_bias, of_weight}).to(at::kDouble)).div_(count).to(x.options());
    Tensor dx = dy - by_channel(sums.narrow(0, 0, channels), x) -
                normalised * by_channel(sums.narrow(0, channels, channels), x);
    Tensor factor = scale;
    const bool affine = saved[1].defined();
    if (affine) factor = factor * wide(saved[1]);
    dx = (dx * by_channel(factor, x)).to(saved[0].scalar_type());
    if (!affine) return {dx, Tensor(), Tensor(), Tensor(), Tensor(), Tensor()};
    const auto type = saved[1].scalar_type();
    return {dx, of_weight.to(type), of_bias.to(type), Tensor(), Tensor(), Tensor()};
  }

  struct Kept : torch::CustomClassHolder {
    explicit Kept(std::shared_ptr<StatisticsExchange> kept) : exchange(std::move(kept)) {}
    std::shared_ptr<StatisticsExchange> exchange;
  };
};

std::optional<Tensor> if_defined(const Tensor& tensor) {
  return tensor.defined() ? std::optional(tensor) : std::nullopt;
}

}  // namespace

SyncBatchNormImpl::SyncBatchNormImpl(const torch::nn::BatchNormOptions& options, const ProcessGroup& group)
    : NormImplBase(options), exchange_(std::make_shared<StatisticsExchange>(group)) {}

void SyncBatchNormImpl::_check_input_dim(const Tensor& input) {
  if (input.dim() >= 2 && input.size(1) == options.num_features()) return;
  throw InvalidArgument(
      c10::str("SyncBatchNorm: the input must be (rows, ", options.num_features(), ", ...), got ", input.sizes()));
}

double SyncBatchNormImpl::next_step() {
  if (!options.track_running_stats()) return 0;
  num_batches_tracked += 1;
  return options.momentum() ? *options.momentum() : 1 / num_batches_tracked.item<double>();
}

Tensor SyncBatchNormImpl::forward(const Tensor& input) {
  _check_input_dim(input);
  const bool by_batch = is_training() || !options.track_running_stats();
  if (!by_batch || !exchange_ || !is_training()) {
    const double step = is_training() ? next_step() : 0;
    return at::batch_norm(input, if_defined(weight), if_defined(bias), if_defined(running_mean),
                          if_defined(running_var), by_batch, step, options.eps(), false);
  }
  ChannelStatistics all;
  {
    const c10::NoGradGuard no_grad;
    all = statistics(wide(input.detach()), *exchange_);
    if (all.count == 1)
      throw InvalidArgument("SyncBatchNorm: in training all ranks together must have more than one value of a channel");
    if (options.track_running_stats() && all.count > 0) {
      const double step = next_step();
      running_mean.lerp_(all.mean.to(running_mean.options()), step);
      running_var.lerp_((all.squares / (all.count - 1)).to(running_var.options()), step);
    }
  }
  return SyncBatchNormFunction::apply(input, if_defined(weight), if_defined(bias), &all, options.eps(), &exchange_);
}

template <class Norm>
std::shared_ptr<SyncBatchNormImpl> SyncBatchNormImpl::in_place_of(const Norm& norm) {
  auto sync = std::make_shared<SyncBatchNormImpl>(norm.options);
  if (norm.options.affine()) {
    sync->parameters_["weight"] = sync->weight = norm.weight;
    sync->parameters_["bias"] = sync->bias = norm.bias;
  }
  if (norm.options.track_running_stats()) {
    sync->running_mean.set_data(norm.running_mean);
    sync->running_var.set_data(norm.running_var);
    sync->num_batches_tracked.set_data(norm.num_batches_tracked);
  }
  sync->train(norm.is_training());
  return sync;
}
template std::shared_ptr<SyncBatchNormImpl> SyncBatchNormImpl::in_place_of(const torch::nn::BatchNorm1dImpl&);
template std::shared_ptr<SyncBatchNormImpl> SyncBatchNormImpl::in_place_of(const torch::nn::BatchNorm2dImpl&);
template std::shared_ptr<SyncBatchNormImpl> SyncBatchNormImpl::in_place_of(const torch::nn::BatchNorm3dImpl&);

void SyncBatchNormImpl::pretty_print(std::ostream& stream) const {
  stream << "tandem::distribute::SyncBatchNorm(" << options.num_features() << ", eps=" << options.eps() << ")";
}

}  // namespace tandem::distribute
