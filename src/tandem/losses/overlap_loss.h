#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tandem/losses/keras_loss.h"

namespace tandem {

/// A loss made of sums over the axes of a batch: how far targets and predictions overlap.
class OverlapLoss final : public KerasLoss {
 public:
  /// Sums of target * prediction, of the targets and of the predictions, to the loss.
  using Rule = std::function<Tensor(const Tensor& both, const Tensor& truth, const Tensor& prediction)>;

  /// `axis`: what is summed over; empty: everything. `settings` stand before the axis in the config.
  OverlapLoss(std::string class_name, std::string name, std::string reduction, std::vector<int64_t> axis, Rule rule,
              Config settings = Config::object());

  Tensor call(const Tensor& y_true, const Tensor& y_pred) const override;
  bool over_batch() const override;
  Tensor call_over_batch(const Tensor& y_true, const Tensor& y_pred, const SumOverBatch& sum) const override;
  /// A loss of the whole batch is one number, whatever the reduction is.
  Reduction reduction() const override;

 private:
  std::vector<int64_t> axis_;
  Rule rule_;
};

}  // namespace tandem
