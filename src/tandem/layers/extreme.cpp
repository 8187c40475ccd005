#include "tandem/layers/extreme.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include "tandem/layers/masks.h"

namespace tandem {
namespace {

template <bool kLarger>
struct Extreme : torch::autograd::Function<Extreme<kLarger>> {
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& a, const Tensor& b) {
    context->save_for_backward({a, b});
    return kLarger ? at::maximum(a, b) : at::minimum(a, b);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    const Tensor &a = saved[0], &b = saved[1], &gradient = gradients[0];
    const Tensor first = kLarger ? a >= b : a <= b;
    torch::autograd::variable_list found(2);
    if (context->needs_input_grad(0)) found[0] = at::where(first, gradient, 0).sum_to_size(a.sizes());
    if (context->needs_input_grad(1)) found[1] = at::where(first, 0, gradient).sum_to_size(b.sizes());
    return found;
  }
};

}  // namespace

Tensor larger_of(const Tensor& a, const Tensor& b) { return Extreme<true>::apply(a, b); }
Tensor smaller_of(const Tensor& a, const Tensor& b) { return Extreme<false>::apply(a, b); }

Tensor extreme_of(const std::vector<Tensor>& inputs, Tensor (*choose)(const Tensor&, const Tensor&)) {
  Tensor found, counted;  // counted: bool of found's shape, undefined where all of it counts
  for (const auto& input : inputs) {
    Tensor x = input, mask = mask_of(input);
    if (mask.defined()) mask = mask_like(mask, x).expand_as(x);
    if (!found.defined()) {
      found = x;
      counted = mask;
      continue;
    }
    if (mask.defined()) x = at::where(mask, x, found);
    if (counted.defined()) found = at::where(counted, found, x);
    counted = mask.defined() && counted.defined() ? counted.logical_or(mask) : Tensor();
    found = choose(found, x);
  }
  return found;
}

}  // namespace tandem
