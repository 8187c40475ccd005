#include "tandem/metrics/loss_metric.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include "tandem/metrics/sample_weights.h"

namespace tandem {

LossMetric::LossMetric(std::string class_name, std::string name, std::shared_ptr<const Loss> loss, Config settings)
    : MeanMetric(
          std::move(class_name), std::move(name),
          [loss](const Tensor& y_true, const Tensor& y_pred) { return loss->call(y_true, y_pred); }, Direction::kDown,
          std::move(settings)),
      loss_(std::move(loss)) {}

// The sample weights, 0 where the loss masks values.
Tensor LossMetric::counted(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight) const {
  const Tensor weights = weights_under_mask(sample_weight, y_pred, name());
  if (!weights.defined() || !loss_->has_mask()) return weights;
  const Tensor mask = loss_->mask(y_true, y_pred);
  return fit_weights(mask, weights, name()) * mask;
}

void LossMetric::update(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight) {
  MeanMetric::update(y_true, y_pred, counted(y_true, y_pred, sample_weight));
}

void LossMetric::update_with_logits(const Tensor& y_true, const Tensor& y_pred, const Tensor& logits,
                                    const Tensor& sample_weight) {
  const c10::AutoGradMode no_gradient(false);
  add(loss_->call_with_logits(y_true, logits), y_pred.size(0), counted(y_true, y_pred, sample_weight));
}

std::shared_ptr<Metric> LossMetric::replicate() const {
  return std::make_shared<LossMetric>(class_name(), name(), loss_, settings());
}

namespace metrics {

std::shared_ptr<Metric> make_loss_metric(const std::string& class_name, const std::string& name,
                                         const std::string& default_name, const Handle<Loss>& loss, Config settings) {
  return std::make_shared<LossMetric>(class_name, name.empty() ? default_name : name, loss.get(), std::move(settings));
}

Handle<Metric> from_loss(const Handle<Loss>& loss, const std::string& name) {
  const std::shared_ptr<const Loss> object = loss.get();
  std::string shown = object->class_name();
  Config settings = Config::object();
  const Config config = object->get_config();
  for (const auto& [key, value] : config.as_object()) {
    if (key != "name") {
      settings.set(key, value);
    } else {
      shown = value.as_string();
    }
  }
  if (!name.empty()) shown = name;
  return std::make_shared<LossMetric>(object->class_name(), shown, object, settings);
}

}  // namespace metrics
}  // namespace tandem
