#pragma once
#include <c10/core/GradMode.h>

#include <functional>
#include <memory>
#include <utility>

#include "tandem/distribution/module_gradients.h"
#include "tandem/distribution/module_replicas.h"
#include "tandem/distribution/process_group.h"
#include "tandem/distribution/uneven_inputs.h"

namespace tandem::distribute {

struct DistributedDataParallelOptions {
  int64_t bucket_bytes = 25 << 20;  // gradients travel in parts of about this size
  bool broadcast_buffers = true;    // rank 0's (running statistics) before each forward pass in training
  bool all_used = false;            // backward throws, naming the parameters that a rank did not use
};

/// A torch::nn module that is trained by several ranks, as torch.nn.parallel.DistributedDataParallel: all begin with
/// rank 0's parameters and buffers, and backward leaves the mean of all ranks' gradients, exchanged while it runs. Used
/// like the module:
///     DistributedDataParallel<Net> model(Net(), group);
///     loss_of(model(x)).backward();
/// All ranks must call backward as often, unless the loop is within join. M: a holder made by TORCH_MODULE. The group
/// must outlive it. Throws InvalidArgument, naming the rank, when another has other parameters.
template <class M>
class DistributedDataParallel {
 public:
  using Options = DistributedDataParallelOptions;

  DistributedDataParallel(M module, const ProcessGroup& group, Options options = {})
      : module_(std::move(module)), group_(group), options_(options) {
    begin_alike(*module_, group_);
    gradients_ = std::make_unique<ModuleGradients>(named_parameters(*module_), group_.communicator(),
                                                   options.bucket_bytes, options.all_used);
  }

  template <class... Arguments>
  auto operator()(Arguments&&... arguments) {
    return forward(std::forward<Arguments>(arguments)...);
  }
  template <class... Arguments>
  auto forward(Arguments&&... arguments) {
    if (options_.broadcast_buffers && gradients_->exchange() && module_->is_training() && c10::GradMode::is_enabled())
      share_buffers(*module_, group_, gradients_->ranks_with_data());
    return module_->forward(std::forward<Arguments>(arguments)...);
  }

  /// Throws InvalidArgument on all ranks, naming the first parameter or buffer that a rank has with other bits than
  /// rank 0, and that rank. Collective, for now and then: reads all of them and sends one number of each.
  void check_alike() const { distribute::check_alike(*module_, group_); }

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

  /// Runs a training loop of which each rank may make another number of steps, as DistributedDataParallel.join:
  ///     model.join(optimizer, [&] {
  ///       for (auto [x, y] : loader.epoch(epoch)) ...
  ///     });
  /// A rank whose loop has ended takes part in the others' exchanges, with gradients of zero, until all have; buffers
  /// come from the first rank that has data. Then all get the weights, the buffers and the optimizer's state of a rank
  /// that went on to the end, since those that stopped early lack its last steps. Each forward and each backward pass
  /// exchanges one number a rank more, and so does each SyncBatchNorm. Collective; all ranks that have data make the
  /// same passes, and nothing else that is collective belongs into the loop. What the loop throws on one rank is thrown
  /// there, once the others, at their next pass, know; they throw PeerError with its message. Throws InvalidArgument
  /// where SyncBatchNorms got their groups one by one.
  void join(torch::optim::Optimizer& optimizer, const std::function<void()>& loop, JoinOptions options = {}) {
    run_uneven({*module_, *gradients_, group_, &optimizer}, loop, options);
  }
  /// The same for an optimizer without a state, as SGD without momentum: those of the ranks become unequal.
  void join(const std::function<void()>& loop, JoinOptions options = {}) {
    run_uneven({*module_, *gradients_, group_}, loop, options);
  }

 private:
  M module_;
  ProcessGroup group_;
  Options options_;
  std::unique_ptr<ModuleGradients> gradients_;
};

}  // namespace tandem::distribute
