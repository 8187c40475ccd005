#include "tandem/metrics/mean_metric.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>

#include <utility>

#include "tandem/core/error.h"
#include "tandem/losses/targets.h"
#include "tandem/metrics/sample_weights.h"

namespace tandem {
namespace {

void add_there(Tensor& sum, const Tensor& value) { sum = sum.defined() ? sum + value.detach() : value.detach(); }

}  // namespace

MeanMetric::MeanMetric(std::string class_name, std::string name, MetricFunction function, Direction direction,
                       Config settings)
    : class_name_(std::move(class_name)),
      function_(std::move(function)),
      direction_(direction),
      settings_(std::move(settings)),
      total_(at::zeros({}, at::kDouble)),
      count_(at::zeros({}, at::kDouble)) {
  set_name(std::move(name));
}

void MeanMetric::update(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight) {
  const c10::AutoGradMode no_gradient(false);
  add(function_(y_true, y_pred), y_pred.dim() == 0 ? 1 : y_pred.size(0),
      weights_under_mask(sample_weight, y_pred, name()));
}

void MeanMetric::add(Tensor values, int64_t rows, const Tensor& sample_weight) {
  if (values.defined() && values.dim() == 0) values = values.expand({rows});
  if (!values.defined() || values.size(0) != rows) {
    throw InvalidArgument(c10::str("metric ", name(), ": must have one value for each of the ", rows, " rows, got ",
                                   values.defined() ? "shape " + shape_text(values) : "an undefined tensor"));
  }
  if (values.numel() == 0) return;

  Tensor weights;
  if (sample_weight.defined()) weights = fit_weights(values, sample_weight, name());
  const Tensor total = (weights.defined() ? values * weights : values).sum(at::kDouble);
  const double values_a_row = static_cast<double>(values.numel()) / static_cast<double>(rows);
  if (values.is_cpu()) {
    *total_.mutable_data_ptr<double>() += total.item<double>() / values_a_row;
  } else {
    add_there(total_there_, total / values_a_row);
  }
  if (!weights.defined()) {
    *count_.mutable_data_ptr<double>() += static_cast<double>(rows);
  } else if (values.is_cpu()) {
    *count_.mutable_data_ptr<double>() += weights.sum(at::kDouble).item<double>() / values_a_row;
  } else {
    add_there(count_there_, weights.sum(at::kDouble) / values_a_row);
  }
}

void MeanMetric::take_over() const {
  for (const auto& [here, there] : {std::pair(&total_, &total_there_), std::pair(&count_, &count_there_)}) {
    if (!there->defined()) continue;
    *here->mutable_data_ptr<double>() += there->item<double>();
    *there = Tensor();
  }
}

std::vector<Tensor> MeanMetric::states() const {
  take_over();
  return {total_, count_};
}

double MeanMetric::result() const {
  take_over();
  const double count = *count_.const_data_ptr<double>();
  return count == 0 ? 0 : *total_.const_data_ptr<double>() / count;
}

std::shared_ptr<Metric> MeanMetric::replicate() const {
  return std::make_shared<MeanMetric>(class_name_, name(), function_, direction_, settings_);
}

Config MeanMetric::get_config() const {
  Config config = Config::object({{"name", name()}, {"dtype", "float32"}});
  for (const auto& [key, value] : settings_.as_object()) config.set(key, value);
  return config;
}

}  // namespace tandem
