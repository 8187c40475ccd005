#pragma once
#include <c10/core/GradMode.h>

#include <memory>
#include <utility>

#include "tandem/distribution/module_gradients.h"
#include "tandem/distribution/module_replicas.h"
#include "tandem/distribution/process_group.h"

namespace tandem::distribute {

struct DistributedDataParallelOptions {
  int64_t bucket_bytes = 25 << 20;  // gradients travel in parts of about this size
  bool broadcast_buffers = true;    // rank 0's (running statistics) before each forward pass in training
};

/// A torch::nn module that is trained by several ranks, as torch.nn.parallel.DistributedDataParallel: all begin with
/// rank 0's parameters and buffers, and backward leaves the mean of all ranks' gradients, exchanged while it runs. Used
/// like the module:
///     DistributedDataParallel<Net> model(Net(), group);
///     loss_of(model(x)).backward();
/// All ranks must call backward as often. M: a holder made by TORCH_MODULE. The group must outlive it. Throws
/// InvalidArgument, naming the rank, when another has other parameters.
template <class M>
class DistributedDataParallel {
 public:
  using Options = DistributedDataParallelOptions;

  DistributedDataParallel(M module, const ProcessGroup& group, Options options = {})
      : module_(std::move(module)), group_(group), options_(options) {
    begin_alike(*module_, group_);
    gradients_ =
        std::make_unique<ModuleGradients>(named_parameters(*module_), group_.communicator(), options.bucket_bytes);
  }

  template <class... Arguments>
  auto operator()(Arguments&&... arguments) {
    return forward(std::forward<Arguments>(arguments)...);
  }
  template <class... Arguments>
  auto forward(Arguments&&... arguments) {
    if (options_.broadcast_buffers && gradients_->exchange() && module_->is_training() && c10::GradMode::is_enabled())
      broadcast_buffers(*module_, group_);
    return module_->forward(std::forward<Arguments>(arguments)...);
  }

  M& module() { return module_; }
  const M& module() const { return module_; }
  auto parameters() const { return module_->parameters(); }
  void train(bool on = true) { module_->train(on); }
  void eval() { module_->eval(); }

  /// While alive, backward exchanges nothing and gradients add up on each rank; the first backward afterwards exchanges
  /// the sum.
  class NoSync {
   public:
    explicit NoSync(ModuleGradients& gradients) : gradients_(gradients), before_(gradients.exchange()) {
      gradients_.set_exchange(false);
    }
    ~NoSync() { gradients_.set_exchange(before_); }
    NoSync(const NoSync&) = delete;
    NoSync& operator=(const NoSync&) = delete;

   private:
    ModuleGradients& gradients_;
    bool before_;
  };
  [[nodiscard]] NoSync no_sync() { return NoSync(*gradients_); }

 private:
  M module_;
  ProcessGroup group_;
  Options options_;
  std::unique_ptr<ModuleGradients> gradients_;
};

}  // namespace tandem::distribute
