#include "tandem/metrics/f_score.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>

#include <array>

#include "tandem/losses/targets.h"
#include "tandem/metrics/sample_weights.h"

namespace tandem::metrics {
namespace {

constexpr double kEpsilon = 1e-7;  // Keras's

class FScoreMetric final : public Metric {
 public:
  FScoreMetric(std::string class_name, FBetaScoreOptions options)
      : class_name_(std::move(class_name)), options_(std::move(options)) {
    set_name(options_.name);
    const auto& average = options_.average;
    if (!average.empty() && average != "micro" && average != "macro" && average != "weighted")
      throw_unknown_name(class_name_ + " average", average, {"micro", "macro", "weighted"});
    if (!(options_.beta > 0))  // written so that NaN fails too
      throw InvalidArgument(c10::str(class_name_, ": beta must be more than 0, got ", options_.beta));
    if (options_.threshold && !(*options_.threshold > 0 && *options_.threshold <= 1))
      throw InvalidArgument(c10::str(class_name_, ": threshold must lie in (0, 1], got ", *options_.threshold));
    const bool together = average == "micro";
    for (Tensor& state : states_) state = together ? at::zeros({}, at::kDouble) : at::zeros({0}, at::kDouble);
  }

  void update(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight) override {
    const c10::AutoGradMode no_gradient(false);
    if (y_pred.dim() != 2 || y_true.sizes() != y_pred.sizes()) {
      throw InvalidArgument(c10::str("metric ", class_name_, ": targets and predictions must be (rows, classes), got ",
                                     shape_text(y_true), " and ", shape_text(y_pred)));
    }
    const Tensor chosen = positive(y_pred.to(at::kFloat)).to(at::kDouble), truth = y_true.to(at::kDouble);
    const Tensor hits = chosen * truth;
    // True positives, false positives, false negatives, and all that is true: (4, rows, classes).
    Tensor counts = at::stack({hits, chosen - hits, truth - hits, truth});
    if (sample_weight.defined()) counts = counts * fit_weights(truth, sample_weight, name());
    counts = (states_[0].dim() == 0 ? counts.sum({1, 2}) : counts.sum(1)).cpu();
    for (int64_t i = 0; i < 4; ++i) {
      Tensor& state = states_[static_cast<std::size_t>(i)];
      if (state.numel() == 0) state.resize_(counts[i].sizes()).zero_();
      if (state.sizes() != counts[i].sizes()) {
        throw InvalidArgument(c10::str("metric ", class_name_, ": must get ", state.size(0), " classes as before, got ",
                                       shape_text(y_pred)));
      }
      state.add_(counts[i]);
    }
  }

  double result() const override { return results().mean().item<double>(); }

  Tensor results() const override {
    if (states_[0].numel() == 0) return at::zeros({}, at::kDouble);
    const auto& [hits, wrong, missed, truth] = states_;
    const Tensor precision = hits / (hits + wrong + kEpsilon), recall = hits / (hits + missed + kEpsilon);
    const double square = options_.beta * options_.beta;
    const Tensor scores = precision * recall / (precision * square + recall + kEpsilon) * (1 + square);
    if (options_.average.empty()) return scores;
    if (options_.average == "weighted") return (scores * truth / (truth.sum() + kEpsilon)).sum();
    return scores.mean();
  }

  std::vector<Tensor> states() const override { return {states_.begin(), states_.end()}; }
  std::shared_ptr<Metric> replicate() const override {
    FBetaScoreOptions options = options_;
    options.name = name();
    return std::make_shared<FScoreMetric>(class_name_, std::move(options));
  }
  Direction direction() const override { return Direction::kUp; }
  std::string class_name() const override { return class_name_; }
  Config get_config() const override {
    Config config = Config::object({{"name", name()}, {"dtype", "float32"}});
    config.set("average", options_.average.empty() ? Config() : Config(options_.average));
    if (class_name_ == "FBetaScore") config.set("beta", options_.beta);
    return config.set("threshold", options_.threshold ? Config(*options_.threshold) : Config());
  }

 private:
  /// Which predictions, float32, are positive.
  Tensor positive(const Tensor& prediction) const {
    if (options_.threshold) return prediction.gt(static_cast<double>(static_cast<float>(*options_.threshold)));
    return prediction.ge(prediction.amax(-1, true)).logical_and_(prediction.abs().gt(1e-9));
  }

  std::string class_name_;
  FBetaScoreOptions options_;
  std::array<Tensor, 4> states_;  // () under "micro", else (classes), known from the first rows
};

std::shared_ptr<Metric> make_fbeta(FBetaScoreOptions options) {
  if (options.name.empty()) options.name = "fbeta_score";
  return std::make_shared<FScoreMetric>("FBetaScore", std::move(options));
}

std::shared_ptr<Metric> make_f1(F1ScoreOptions options) {
  return std::make_shared<FScoreMetric>(
      "F1Score", FBetaScoreOptions{.average = std::move(options.average),
                                   .threshold = options.threshold,
                                   .name = options.name.empty() ? "f1_score" : std::move(options.name)});
}

}  // namespace

FBetaScore::FBetaScore(FBetaScoreOptions options) : Handle(make_fbeta(std::move(options))) {}
F1Score::F1Score(F1ScoreOptions options) : Handle(make_f1(std::move(options))) {}

}  // namespace tandem::metrics
