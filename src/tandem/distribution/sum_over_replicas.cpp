#include "tandem/distribution/sum_over_replicas.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include "tandem/core/error.h"

namespace tandem::distribute {
namespace {

using AddUp = std::function<void(Tensor&)>;

Tensor added_up(const AddUp& add_up, const Tensor& tensor) {
  Tensor sum = tensor.detach().clone(at::MemoryFormat::Contiguous);
  add_up(sum);
  return sum;
}

// Each replica's loss depends on the sum, so the sum's gradient is the sum of all replicas' gradients.
struct DifferentiableSum : torch::autograd::Function<DifferentiableSum> {
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& tensor, const AddUp* add_up) {
    // The step outlives its backward.
    context->saved_data["add_up"] = static_cast<int64_t>(reinterpret_cast<std::intptr_t>(add_up));
    return added_up(*add_up, tensor);
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const auto* add_up =
        reinterpret_cast<const AddUp*>(static_cast<std::intptr_t>(context->saved_data["add_up"].toInt()));
    return {added_up(*add_up, gradients.front()), Tensor()};
  }
};

// The same in its order; the other output is the order's next scalar.
struct OrderedSum : torch::autograd::Function<OrderedSum> {
  static torch::autograd::variable_list forward(torch::autograd::AutogradContext* context, const Tensor& tensor,
                                                const std::optional<Tensor>&, const AddUp* add_up) {
    context->saved_data["add_up"] = static_cast<int64_t>(reinterpret_cast<std::intptr_t>(add_up));
    return {added_up(*add_up, tensor), at::zeros({})};
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    if (context->saved_data.count("gone through") > 0) {
      throw InvalidArgument(
          "minimize: where layers add up over replicas on GPUs, backward of one forward pass must come before the next "
          "pass");
    }
    context->saved_data["gone through"] = true;
    const auto* add_up =
        reinterpret_cast<const AddUp*>(static_cast<std::intptr_t>(context->saved_data["add_up"].toInt()));
    return {added_up(*add_up, gradients.front()), Tensor(), Tensor()};
  }
};

}  // namespace

// Of a GPU's tensor the sum is made in host memory. In backward the way back then comes to this replica's own thread,
// which may wait for the others; a GPU's part of backward runs on a thread that the replicas of one card share.
Tensor SumOverReplicas::operator()(const Tensor& tensor) {
  if (tensor.is_cpu()) return DifferentiableSum::apply(tensor, &add_up_);
  auto results = OrderedSum::apply(tensor.to(at::kCPU), std::optional(order_), &add_up_);
  order_ = results[1];
  return results[0].to(tensor.device());
}

}  // namespace tandem::distribute
