#pragma once
#include <torch/nn/modules/batchnorm.h>

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "tandem/distribution/process_group.h"
#include "tandem/distribution/statistics_exchange.h"

namespace tandem::distribute {

/// Batch normalisation over the rows of all ranks, as torch.nn.SyncBatchNorm, for inputs (rows, channels, ...) of any
/// number of axes: BatchNorm1d, 2d and 3d. Options, parameters and buffers are theirs, by the same names. Ranks may
/// have unequal numbers of rows, also none. In eval mode, and without a group, it is a batch norm of this rank alone
/// and asks nobody. Once it has a group, each forward pass in training is collective, and so is its backward. Gradients
/// of weight and bias are sums over this rank's rows, which DistributedDataParallel averages. Throws InvalidArgument
/// where all ranks together have one value of a channel in training. No gradients of gradients.
///
/// In a module of your own declare it in BatchNorm2d's place; convert_sync_batchnorm gives it the group.
class SyncBatchNormImpl : public torch::nn::NormImplBase<0, SyncBatchNormImpl, torch::nn::BatchNormOptions> {
 public:
  using NormImplBase::NormImplBase;
  SyncBatchNormImpl(const torch::nn::BatchNormOptions& options, const ProcessGroup& group);

  Tensor forward(const Tensor& input);
  /// From now on through `exchange`; null: this rank alone.
  void set_exchange(std::shared_ptr<StatisticsExchange> exchange) { exchange_ = std::move(exchange); }
  const std::shared_ptr<StatisticsExchange>& exchange() const { return exchange_; }
  /// Takes the place of `norm`, a BatchNorm1dImpl, 2d or 3d: has its options, mode, parameters (the same tensors, which
  /// optimizers may hold) and buffers.
  template <class Norm>
  static std::shared_ptr<SyncBatchNormImpl> in_place_of(const Norm& norm);
  void pretty_print(std::ostream& stream) const override;

 protected:
  void _check_input_dim(const Tensor& input) override;

 private:
  // How much the running statistics move towards those of the batch.
  double next_step();

  std::shared_ptr<StatisticsExchange> exchange_;
};
TORCH_MODULE(SyncBatchNorm);

/// Replaces the BatchNorm1d, 2d and 3d layers in the torch::nn::Sequentials of `module`, at any depth, by SyncBatchNorm
/// layers that exchange through `group`, and gives the group to SyncBatchNorm layers that are there, as
/// torch.nn.SyncBatchNorm.convert_sync_batchnorm. Parameters stay the same tensors. Collective.
///
/// What other modules hold cannot be replaced in C++: a member `torch::nn::BatchNorm2d norm` calls that class and no
/// other. Such a layer, or `module` itself being one, is an InvalidArgument that names it, and nothing is changed;
/// declare the member as distribute::SyncBatchNorm.
void convert_sync_batchnorm(torch::nn::Module& module, const ProcessGroup& group);

/// For a holder, as `convert_sync_batchnorm(net, group)`.
template <class M>
requires requires(M& holder) { *holder.ptr(); }
void convert_sync_batchnorm(M& holder, const ProcessGroup& group) { convert_sync_batchnorm(*holder.ptr(), group); }

}  // namespace tandem::distribute
