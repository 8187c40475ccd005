#include "tandem/metrics/sum.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include "tandem/metrics/sample_weights.h"

namespace tandem::metrics {
namespace {

class SumMetric final : public Metric {
 public:
  explicit SumMetric(std::string name) : total_(at::zeros({}, at::kDouble)) { set_name(std::move(name)); }

  void update(const Tensor& /*y_true*/, const Tensor& y_pred, const Tensor& sample_weight) override {
    const c10::AutoGradMode no_gradient(false);
    const Tensor values = sample_weight.defined() ? y_pred * fit_weights(y_pred, sample_weight, name()) : y_pred;
    *total_.mutable_data_ptr<double>() += values.sum(at::kDouble).item<double>();
  }
  double result() const override { return *total_.const_data_ptr<double>(); }
  std::vector<Tensor> states() const override { return {total_}; }
  std::shared_ptr<Metric> replicate() const override { return std::make_shared<SumMetric>(name()); }

  std::string class_name() const override { return "Sum"; }
  Config get_config() const override { return Config::object({{"name", name()}, {"dtype", "float32"}}); }

 private:
  Tensor total_;
};

}  // namespace

Sum::Sum(MetricOptions options) : Handle(std::make_shared<SumMetric>(options.name.empty() ? "sum" : options.name)) {}

}  // namespace tandem::metrics
