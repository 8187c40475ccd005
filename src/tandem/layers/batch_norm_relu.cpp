#include "tandem/layers/batch_norm_relu.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>

#include <numeric>
#include <optional>

#include "tandem/kernels/batch_norm_relu.h"
#include "tandem/kernels/channel_rows.h"

namespace tandem {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// As batch_norm_relu, of LibTorch's operators, which can be differentiated any number of times.
Tensor plain_batch_norm_relu(const Tensor& x, const Tensor& gamma, const Tensor& beta, const Tensor& mean,
                             const Tensor& inverse_deviation, double epsilon, bool from_batch) {
  Tensor centred = x - mean, factor = inverse_deviation;
  if (from_batch) {
    std::vector<int64_t> rows(static_cast<std::size_t>(x.dim() - 1));
    std::iota(rows.begin(), rows.end(), 0);
    centred = x - x.mean(rows, true);
    factor = at::rsqrt(centred.square().mean(rows, true) + epsilon);
  }
  Tensor out = centred * factor;
  if (gamma.defined()) out = out * gamma;
  if (beta.defined()) out = out + beta;
  return at::relu(out);
}

// The gradients of x, gamma and beta, made so that they have gradients themselves.
variable_list differentiable_backward(AutogradContext* context, const variable_list& saved,
                                      const variable_list& gradients) {
  // Of views: gamma may be behind x too, where a layer is used twice, and that share is not this call's.
  variable_list inputs(3), wanted, results(7);
  for (std::size_t i = 0; i < 3; ++i) {
    if (saved[i].defined()) inputs[i] = saved[i].view_as(saved[i]);
    if (saved[i].defined() && saved[i].requires_grad()) wanted.push_back(inputs[i]);
  }
  const Tensor out =
      plain_batch_norm_relu(inputs[0], inputs[1], inputs[2], saved[3], saved[4],
                            context->saved_data["epsilon"].toDouble(), context->saved_data["from_batch"].toBool());
  const auto found = torch::autograd::grad({out}, wanted, gradients, std::nullopt, /*create_graph=*/true);
  for (std::size_t i = 0, next = 0; i < 3; ++i) {
    if (saved[i].defined() && saved[i].requires_grad()) results[i] = found[next++];
  }
  return results;
}

struct BatchNormRelu : torch::autograd::Function<BatchNormRelu> {
  static Tensor forward(AutogradContext* context, const Tensor& x, const std::optional<Tensor>& gamma,
                        const std::optional<Tensor>& beta, const Tensor& mean, const Tensor& inverse_deviation,
                        double epsilon, bool from_batch) {
    const kernels::ChannelNorm norm{mean, inverse_deviation, gamma.value_or(Tensor()), beta.value_or(Tensor())};
    context->save_for_backward({x, norm.gamma, norm.beta, mean, inverse_deviation});
    context->saved_data["epsilon"] = epsilon;
    context->saved_data["from_batch"] = from_batch;
    return kernels::batch_norm_relu(x, norm);
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const Tensor &x = saved[0], &gamma = saved[1], &beta = saved[2], &mean = saved[3], &inverse_deviation = saved[4];
    const bool from_batch = context->saved_data["from_batch"].toBool();
    if (c10::GradMode::is_enabled()) return differentiable_backward(context, saved, gradients);
    const Tensor gradient = kernels::has_channel_rows(gradients[0]) ? gradients[0] : gradients[0].contiguous();
    const auto result =
        kernels::batch_norm_relu_backward(gradient, x, {mean, inverse_deviation, gamma, beta}, from_batch);
    return {result.x, gamma.defined() ? result.gamma : Tensor(), beta.defined() ? result.beta : Tensor(), {}, {}, {},
            {}};
  }
};

}  // namespace

bool can_fuse_relu(const Tensor& x) { return kernels::has_channel_rows(x); }

Tensor batch_norm_relu(const Tensor& x, const std::optional<Tensor>& gamma, const std::optional<Tensor>& beta,
                       const kernels::ChannelStatistics& statistics, double epsilon, bool from_batch) {
  const Tensor inverse_deviation = [&] {
    c10::NoGradGuard no_grad;
    return at::rsqrt(statistics.variance + epsilon);
  }();
  return BatchNormRelu::apply(x, gamma, beta, statistics.mean, inverse_deviation, epsilon, from_batch);
}

}  // namespace tandem
