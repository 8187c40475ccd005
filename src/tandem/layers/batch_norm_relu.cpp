#include "tandem/layers/batch_norm_relu.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>

#include <numeric>

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

struct BatchNormRelu : torch::autograd::Function<BatchNormRelu> {
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& gamma, const Tensor& beta,
                        const Tensor& mean, const Tensor& inverse_deviation, double epsilon, bool from_batch) {
    context->save_for_backward({x, gamma, beta, mean, inverse_deviation});
    context->saved_data["epsilon"] = epsilon;
    context->saved_data["from_batch"] = from_batch;
    return kernels::batch_norm_relu(x, {mean, inverse_deviation, gamma, beta});
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const Tensor &x = saved[0], &gamma = saved[1], &beta = saved[2], &mean = saved[3], &inverse_deviation = saved[4];
    const bool from_batch = context->saved_data["from_batch"].toBool();
    if (c10::GradMode::is_enabled()) {
      const double epsilon = context->saved_data["epsilon"].toDouble();
      variable_list inputs, results(7);
      for (std::size_t i = 0; i < 3; ++i) {
        if (saved[i].defined() && saved[i].requires_grad()) inputs.push_back(saved[i]);
      }
      const Tensor out = plain_batch_norm_relu(x, gamma, beta, mean, inverse_deviation, epsilon, from_batch);
      auto found = torch::autograd::grad({out}, inputs, gradients, std::nullopt, /*create_graph=*/true).begin();
      for (std::size_t i = 0; i < 3; ++i) {
        if (saved[i].defined() && saved[i].requires_grad()) results[i] = *found++;
      }
      return results;
    }
    const Tensor gradient = kernels::has_channel_rows(gradients[0]) ? gradients[0] : gradients[0].contiguous();
    const auto result =
        kernels::batch_norm_relu_backward(gradient, x, {mean, inverse_deviation, gamma, beta}, from_batch);
    return {result.x, gamma.defined() ? result.gamma : Tensor(), beta.defined() ? result.beta : Tensor(), {}, {}, {},
            {}};
  }
};

}  // namespace

bool can_fuse_relu(const Tensor& x) { return kernels::has_channel_rows(x); }

Tensor batch_norm_relu(const Tensor& x, const Tensor& gamma, const Tensor& beta,
                       const kernels::ChannelStatistics& statistics, double epsilon, bool from_batch) {
  const Tensor inverse_deviation = [&] {
    c10::NoGradGuard no_grad;
    return at::rsqrt(statistics.variance + epsilon);
  }();
  return BatchNormRelu::apply(x, gamma, beta, statistics.mean, inverse_deviation, epsilon, from_batch);
}

}  // namespace tandem
