#pragma once
#include <memory>
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

  struct Value {
    Tensor total;               // scalar, differentiable: this replica's part of the global mean
    std::vector<Tensor> parts;  // by output, without its weight
  };
  /// This replica's part of the loss: the sum over its rows of sample weight x row loss, divided by the global number of
  /// values. Parts of all replicas add up to Keras's loss for any division of the rows. Where an output is a softmax or
  /// sigmoid whose logits are in `logits`, a crossentropy is computed from those.
  Value compute(const Tensors& outputs, const LogitsRecord& logits, const data::Batch& rows, int64_t global_rows) const;

 private:
  std::vector<std::shared_ptr<const Loss>> losses_;
  std::vector<double> weights_;
};

}  // namespace tandem::distribute
