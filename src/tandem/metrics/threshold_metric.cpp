#include "tandem/metrics/threshold_metric.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/losses/targets.h"
#include "tandem/metrics/sample_weights.h"

namespace tandem {
namespace {

constexpr double kNever = -1e10;  // Keras's: what is not among the k largest

/// Predictions of which all but the k largest of the last axis are below every threshold; of equal ones the first
/// count.
Tensor largest_alone(const Tensor& prediction, int64_t k) {
  const Tensor order = std::get<1>(prediction.sort(/*stable=*/true, /*dim=*/-1, /*descending=*/true));
  const Tensor largest = order.narrow(-1, 0, k);
  return at::full_like(prediction, kNever).scatter_(-1, largest, prediction.gather(-1, largest));
}

}  // namespace

Tensor quotient(const Tensor& part, const Tensor& whole) { return (part / whole).masked_fill(whole.eq(0), 0); }

Tensor share_of(const Tensor& part, const Tensor& rest) { return quotient(part, part + rest); }

ThresholdMetric::ThresholdMetric(ThresholdSettings settings) : settings_(std::move(settings)) {
  set_name(settings_.name);
  if (settings_.top_k && *settings_.top_k < 1)
    throw InvalidArgument(c10::str(class_name(), ": top_k must be at least 1, got ", *settings_.top_k));
  if (settings_.class_id && *settings_.class_id < 0)
    throw InvalidArgument(c10::str(class_name(), ": class_id must be at least 0, got ", *settings_.class_id));
  for (std::size_t i = 0; i < settings_.counted.size(); ++i)
    states_.push_back(at::zeros({settings_.by_label ? 0 : thresholds()}, at::kDouble));
}

void ThresholdMetric::update(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight) {
  const c10::AutoGradMode no_gradient(false);
  const std::string where = c10::str("metric ", class_name());
  const Tensor scores = y_pred.is_floating_point() ? y_pred : y_pred.to(at::kFloat);
  auto [truth, prediction] = matching_targets(y_true, scores, where);
  if (settings_.by_label && prediction.dim() != 2)
    throw InvalidArgument(c10::str(where, ": predictions must be (rows, labels), got ", shape_text(y_pred)));
  Tensor weights = sample_weight.defined() ? fit_weights(prediction, sample_weight, name()) : Tensor();
  const int64_t classes = prediction.size(-1);
  if (settings_.label_weights.defined()) {
    if (settings_.label_weights.size(0) != classes) {
      throw InvalidArgument(c10::str(where, ": label_weights must be one for each of ", classes, " labels, got ",
                                     settings_.label_weights.size(0)));
    }
    const Tensor factors = settings_.label_weights.to(prediction.device());
    weights = weights.defined() ? weights * factors : factors.expand_as(prediction);
  }
  if (settings_.top_k) {
    if (*settings_.top_k > classes)
      throw InvalidArgument(
          c10::str(where, ": top_k must be at most the ", classes, " classes, got ", *settings_.top_k));
    prediction = largest_alone(prediction, *settings_.top_k);
  }
  if (settings_.class_id) {
    const int64_t id = *settings_.class_id;
    if (id >= classes)
      throw InvalidArgument(c10::str(where, ": class_id must be one of ", classes, " classes, got ", id));
    prediction = prediction.narrow(-1, id, 1);
    truth = truth.narrow(-1, id, 1);
    if (weights.defined()) weights = weights.narrow(-1, id, 1);
  }
  const auto counts = settings_.thresholds.count(truth, prediction, weights, settings_.by_label);
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const Tensor& count = counts.*settings_.counted[i];
    if (states_[i].numel() == 0) states_[i].resize_(count.sizes()).zero_();
    if (states_[i].sizes() != count.sizes()) {
      throw InvalidArgument(
          c10::str(where, ": must get ", states_[i].size(1), " labels as before, got ", shape_text(y_pred)));
    }
    states_[i].add_(count);
  }
}

double ThresholdMetric::result() const { return results().mean().item<double>(); }

Tensor ThresholdMetric::by_threshold(const Tensor& figures) const {
  return figures.size(0) == 1 ? figures.squeeze(0) : figures;
}

Config ThresholdMetric::get_config() const { return Config::object({{"name", name()}, {"dtype", "float32"}}); }

}  // namespace tandem
