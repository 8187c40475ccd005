#include "tandem/metrics/iou_metric.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>

#include "tandem/losses/targets.h"
#include "tandem/metrics/class_ids_of.h"
#include "tandem/metrics/sample_weights.h"

namespace tandem {

IoUMetric::IoUMetric(Settings settings) : settings_(std::move(settings)) {
  set_name(settings_.options.name);
  const int64_t classes = settings_.num_classes;
  const auto& dtype = settings_.options.dtype;
  if (classes < 1) throw InvalidArgument(c10::str(class_name(), ": num_classes must be at least 1, got ", classes));
  for (const int64_t id : settings_.target_class_ids) {
    if (id < 0 || id >= classes) {
      throw InvalidArgument(c10::str(class_name(), ": target_class_ids must lie in [0, ", classes, "), got ", id));
    }
  }
  if (dtype != "int" && dtype != "int64" && dtype != "int32" && dtype != "float32")
    throw InvalidArgument(c10::str(class_name(), ": dtype must be int64, int32 or float32, got ", dtype));
  pairs_ = at::zeros({classes, classes}, at::kDouble);
}

Tensor IoUMetric::ids(const Tensor& values, bool sparse) const {
  if (sparse) return values.to(at::kLong);
  check_axis(settings_.options.axis, values, c10::str("metric ", class_name()));
  return values.argmax(settings_.options.axis);
}

void IoUMetric::update(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight) {
  const c10::AutoGradMode no_gradient(false);
  const auto& options = settings_.options;
  const Tensor predicted = settings_.threshold
                               ? y_pred.to(at::kFloat).ge(static_cast<double>(static_cast<float>(*settings_.threshold)))
                               : ids(y_pred, options.sparse_y_pred);
  Tensor truth = ids(y_true, options.sparse_y_true);
  if (truth.numel() != predicted.numel()) {
    throw InvalidArgument(c10::str("metric ", class_name(), ": targets and predictions must be as many, got ",
                                   shape_text(y_true), " and ", shape_text(y_pred)));
  }
  Tensor weights = sample_weight.defined() ? fit_weights(truth, sample_weight, name()) : Tensor();
  if (weights.defined() && whole_numbers()) weights = weights.trunc();
  if (options.ignore_class) truth = truth.masked_fill(truth.eq(*options.ignore_class), -1);
  pairs_.add_(count_pairs(truth, predicted.to(at::kLong), weights, settings_.num_classes));
}

double IoUMetric::result() const {
  const Tensor targets = at::tensor(settings_.target_class_ids, at::kLong);
  const Tensor hits = pairs_.diagonal();
  const Tensor all = (pairs_.sum(0) + pairs_.sum(1) - hits).index_select(0, targets);
  const Tensor occur = all.gt(1e-9);
  // Keras adds its epsilon below both lines.
  const Tensor shares = (hits.index_select(0, targets) / (all + 1e-7)).masked_fill(occur.logical_not(), 0);
  return shares.sum().item<double>() / (occur.sum().item<double>() + 1e-7);
}

std::shared_ptr<Metric> IoUMetric::replicate() const {
  Settings settings = settings_;
  settings.options.name = name();
  return std::make_shared<IoUMetric>(std::move(settings));
}

Config IoUMetric::get_config() const {
  const auto& [class_name, num_classes, targets, options, threshold] = settings_;
  const bool mean = class_name == "MeanIoU" || class_name == "OneHotMeanIoU";
  Config config = Config::object();  // Keras's order of members differs by class
  const auto set_type = [&] { config.set("name", name()).set("dtype", options.dtype); };
  if (class_name == "IoU") set_type();
  if (!threshold) config.set("num_classes", num_classes);
  if (!mean) config.set("target_class_ids", Config::list(targets));
  if (threshold) config.set("threshold", *threshold);
  if (class_name != "IoU") set_type();
  if (threshold) return config;
  config.set("ignore_class", options.ignore_class ? Config(*options.ignore_class) : Config());
  if (class_name == "IoU" || class_name == "MeanIoU") config.set("sparse_y_true", options.sparse_y_true);
  return config.set("sparse_y_pred", options.sparse_y_pred).set("axis", options.axis);
}

}  // namespace tandem
