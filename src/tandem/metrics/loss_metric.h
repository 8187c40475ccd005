#pragma once
#include <memory>
#include <string>

#include "tandem/losses/loss.h"
#include "tandem/metrics/mean_metric.h"

namespace tandem {

/// The mean over all rows of a loss. As in Keras, values that the loss masks count only where sample weights are given:
/// they then have weight 0, else they are zeros among the values.
class LossMetric final : public MeanMetric {
 public:
  LossMetric(std::string class_name, std::string name, std::shared_ptr<const Loss> loss,
             Config settings = Config::object());

  void update(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight) override;
  bool prefers_logits() const override { return loss_->prefers_logits(); }
  void update_with_logits(const Tensor& y_true, const Tensor& y_pred, const Tensor& logits,
                          const Tensor& sample_weight) override;
  std::shared_ptr<Metric> replicate() const override;

 private:
  Tensor counted(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight) const;

  std::shared_ptr<const Loss> loss_;
};

namespace metrics {

/// Keras's metric `class_name`, the mean of `loss`, under `name` or else `default_name`. `settings` as MeanMetric's.
std::shared_ptr<Metric> make_loss_metric(const std::string& class_name, const std::string& name,
                                         const std::string& default_name, const Handle<Loss>& loss,
                                         Config settings = Config::object());

/// A loss as a metric: its mean over all rows, whatever its reduction, under `name` (empty: the loss's name). Keras
/// takes a Loss for a metric as well, but averages over batches. Class name and config are the loss's.
Handle<Metric> from_loss(const Handle<Loss>& loss, const std::string& name = {});

}  // namespace metrics
}  // namespace tandem
