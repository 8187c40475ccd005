#include "tandem/distribution/gradient_hooks.h"

#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <memory>

namespace tandem::distribute {
namespace {

using torch::autograd::impl::post_acc_grad_hooks;
using torch::autograd::impl::set_post_acc_grad_hooks;

// Runs after autograd has added a gradient to a leaf.
class GradientHook final : public torch::autograd::PostAccumulateGradHook {
 public:
  GradientHook(std::shared_ptr<const std::function<void(std::size_t)>> ready, std::size_t leaf)
      : ready_(std::move(ready)), leaf_(leaf) {}
  void operator()(const Tensor&) override { (*ready_)(leaf_); }

 private:
  std::shared_ptr<const std::function<void(std::size_t)>> ready_;
  std::size_t leaf_;
};

}  // namespace

void on_gradients(const std::vector<Tensor>& leaves, std::function<void(std::size_t)> ready) {
  const auto shared = std::make_shared<const std::function<void(std::size_t)>>(std::move(ready));
  for (std::size_t i = 0; i < leaves.size(); ++i)
    set_post_acc_grad_hooks(leaves[i], std::make_unique<GradientHook>(shared, i));
}

void no_longer_on_gradients(const std::vector<Tensor>& leaves) {
  for (const auto& leaf : leaves) set_post_acc_grad_hooks(leaf, nullptr);
}

bool is_called_on_gradients(const Tensor& leaf) { return post_acc_grad_hooks(leaf) != nullptr; }

}  // namespace tandem::distribute
