#include "tandem/metrics/r2_score.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>

#include <array>

#include "tandem/losses/targets.h"
#include "tandem/metrics/sample_weights.h"

namespace tandem::metrics {
namespace {

class R2Metric final : public Metric {
 public:
  explicit R2Metric(R2ScoreOptions options) : options_(std::move(options)) {
    set_name(options_.name);
    const auto& aggregation = options_.class_aggregation;
    if (!aggregation.empty() && aggregation != "uniform_average" && aggregation != "variance_weighted_average") {
      throw_unknown_name("R2Score class_aggregation", aggregation, {"uniform_average", "variance_weighted_average"});
    }
    if (options_.num_regressors < 0)
      throw InvalidArgument(c10::str("R2Score: num_regressors must be at least 0, got ", options_.num_regressors));
  }

  void update(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight) override {
    const c10::AutoGradMode no_gradient(false);
    const auto [truth, prediction] = matching_targets(y_true.to(at::kDouble), y_pred.to(at::kDouble), "metric R2Score");
    if (prediction.dim() != 2)
      throw InvalidArgument(c10::str("metric R2Score: predictions must be (rows, outputs), got ", shape_text(y_pred)));
    const Tensor weights =
        sample_weight.defined() ? fit_weights(truth, sample_weight, name()).to(at::kDouble) : at::ones_like(truth);
    const Tensor weighted = truth * weights;
    const Tensor sums =
        at::stack({truth * weighted, weighted, (truth - prediction).square() * weights, weights}).sum(1).cpu();
    for (int64_t i = 0; i < 4; ++i) {
      Tensor& state = by_output_[static_cast<std::size_t>(i)];
      if (state.numel() == 0) state.resize_(sums[i].sizes()).zero_();
      if (state.sizes() != sums[i].sizes()) {
        throw InvalidArgument(
            c10::str("metric R2Score: must get ", state.size(0), " outputs as before, got ", shape_text(y_pred)));
      }
      state.add_(sums[i]);
    }
    values_.add_(static_cast<double>(truth.numel()));
  }

  double result() const override { return results().mean().item<double>(); }

  Tensor results() const override {
    if (values_.item<double>() == 0) return at::zeros({}, at::kDouble);
    const auto& [squares, sum, residual, count] = by_output_;
    const Tensor total = squares - sum * (sum / count);
    Tensor scores = 1 - residual / total;
    scores = scores.masked_fill(scores.isinf(), 0);
    if (options_.class_aggregation == "uniform_average") scores = scores.mean();
    if (options_.class_aggregation == "variance_weighted_average") scores = (total * scores).sum() / total.sum();
    const double spare = values_.item<double>() - static_cast<double>(options_.num_regressors) - 1;
    if (options_.num_regressors == 0 || spare <= 0) return scores;
    return 1 - (1 - scores) * (values_ - 1) / spare;
  }

  std::vector<Tensor> states() const override {
    return {values_, by_output_[0], by_output_[1], by_output_[2], by_output_[3]};
  }
  std::shared_ptr<Metric> replicate() const override {
    R2ScoreOptions options = options_;
    options.name = name();
    return std::make_shared<R2Metric>(std::move(options));
  }
  Direction direction() const override { return Direction::kUp; }
  std::string class_name() const override { return "R2Score"; }
  Config get_config() const override {
    const auto& aggregation = options_.class_aggregation;
    return Config::object({{"name", name()},
                           {"dtype", "float32"},
                           {"class_aggregation", aggregation.empty() ? Config() : Config(aggregation)},
                           {"num_regressors", options_.num_regressors}});
  }

 private:
  static Tensor unknown() { return at::zeros({0}, at::kDouble); }

  R2ScoreOptions options_;
  Tensor values_ = at::zeros({}, at::kDouble);
  /// Weighted sums by output: squares of targets, targets, squared residuals, weights.
  std::array<Tensor, 4> by_output_ = {unknown(), unknown(), unknown(), unknown()};
};

std::shared_ptr<Metric> make_r2(R2ScoreOptions options) {
  if (options.name.empty()) options.name = "r2_score";
  return std::make_shared<R2Metric>(std::move(options));
}

}  // namespace

R2Score::R2Score(R2ScoreOptions options) : Handle(make_r2(std::move(options))) {}

}  // namespace tandem::metrics
