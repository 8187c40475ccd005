#include "tandem/metrics/confusion_matrix_metric.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>

#include "tandem/losses/targets.h"
#include "tandem/metrics/class_ids_of.h"
#include "tandem/metrics/sample_weights.h"

namespace tandem::metrics {
namespace {

class MatrixMetric final : public Metric {
 public:
  MatrixMetric(int64_t classes, std::string name) : pairs_(at::zeros({classes, classes}, at::kDouble)) {
    set_name(std::move(name));
  }

  void update(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight) override {
    const c10::AutoGradMode no_gradient(false);
    const int64_t classes = pairs_.size(0), columns = y_pred.dim() < 2 ? 1 : y_pred.size(-1);
    if (columns != classes && !(columns == 1 && classes == 2)) {
      throw InvalidArgument(
          c10::str("metric ConfusionMatrix: predictions must have ", classes, " classes, got ", shape_text(y_pred)));
    }
    const Tensor truth = true_classes(y_true, y_pred, "metric ConfusionMatrix");
    check_class_ids(truth, classes, "metric ConfusionMatrix");
    const Tensor weights = sample_weight.defined() ? fit_weights(truth, sample_weight, name()) : Tensor();
    pairs_.add_(count_pairs(truth, predicted_classes(y_pred), weights, classes));
  }

  double result() const override {
    const double all = pairs_.sum().item<double>();
    return all == 0 ? 0 : pairs_.trace().item<double>() / all;
  }
  Tensor results() const override { return pairs_.clone(); }
  std::vector<Tensor> states() const override { return {pairs_}; }
  std::shared_ptr<Metric> replicate() const override { return std::make_shared<MatrixMetric>(pairs_.size(0), name()); }
  Direction direction() const override { return Direction::kUp; }
  std::string class_name() const override { return "ConfusionMatrix"; }
  Config get_config() const override {
    return Config::object({{"name", name()}, {"dtype", "float32"}, {"num_classes", pairs_.size(0)}});
  }

 private:
  Tensor pairs_;
};

std::shared_ptr<Metric> make_matrix(int64_t classes, const MetricOptions& options) {
  if (classes < 2) throw InvalidArgument(c10::str("ConfusionMatrix: num_classes must be at least 2, got ", classes));
  return std::make_shared<MatrixMetric>(classes, options.name.empty() ? "confusion_matrix" : options.name);
}

}  // namespace

ConfusionMatrix::ConfusionMatrix(int64_t num_classes, MetricOptions options)
    : Handle(make_matrix(num_classes, options)) {}

}  // namespace tandem::metrics
