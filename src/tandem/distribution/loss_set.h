#pragma once
#include <memory>
#include <string>
#include <vector>

#include "tandem/core/tensor.h"
#include "tandem/data/batch.h"
#include "tandem/layers/call_context.h"
#include "tandem/losses/loss.h"

namespace tandem::distribute {

/// The losses of a model, one an output, and their weights in the total.
class LossSet {
 public:
  LossSet(std::vector<std::shared_ptr<const Loss>> losses, std::vector<double> weights)
      : losses_(std::move(losses)), weights_(std::move(weights)) {}

  std::size_t size() const { return losses_.size(); }
  /// The first loss that needs sums over the whole batch; null where there is none.
  const Loss* over_batch() const;
  /// True where a loss may leave values out, whatever masks outputs have.
  bool has_mask() const;
  /// Kinds, settings and weights, as far as losses can say them: the same for the same losses.
  std::string describe() const;

  /// What some rows give, by output.
  struct Sums {
    std::vector<Tensor> losses;  // scalars, differentiable: sample weight x loss, added up
    std::vector<double> counts;  // values that count
    bool masked = false;         // where some may not: only the forward pass tells how many do
  };
  /// Where an output is a softmax or sigmoid whose logits are in `logits`, a crossentropy is computed from those.
  /// Values that a loss or the output's mask leaves out neither add nor count. `sum` adds up over the replicas what a
  /// loss of the whole batch is made of. Throws InvalidArgument when outputs, targets and losses differ in number.
  Sums add_up(
      const Tensors& outputs, const LogitsRecord& logits, const data::Batch& rows,
      const SumOverBatch& sum = [](const Tensor& own) { return own; }) const;

  struct Value {
    Tensor total;               // scalar, differentiable: these rows' part of the global mean
    std::vector<Tensor> parts;  // by output, without its weight
  };
  /// Divides by the counts of the whole batch: the values of all replicas add up to Keras's loss for any division of
  /// the rows. A count of 0, everything masked, gives 0 as in Keras. A loss with reduction "sum" is not divided.
  Value mean(const Sums& sums, const std::vector<double>& global_counts) const;

 private:
  std::vector<std::shared_ptr<const Loss>> losses_;
  std::vector<double> weights_;
};

}  // namespace tandem::distribute
