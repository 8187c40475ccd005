#include "tandem/distribution/sum_over_replicas.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

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

}  // namespace

Tensor SumOverReplicas::operator()(const Tensor& tensor) { return DifferentiableSum::apply(tensor, &add_up_); }

}  // namespace tandem::distribute
