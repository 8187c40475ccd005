// Reports and curves against scikit-learn's of the same scores.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>

#include "tandem/core/config.h"
#include "tandem/metrics/classification_report.h"
#include "tandem/metrics/confusion_matrix_metric.h"
#include "tandem/metrics/precision_recall_curve.h"
#include "tandem/metrics/roc_curve.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/npy.h"

namespace tandem {
namespace {

constexpr double kNear = 1e-9;

using testing::message_of;

Config scikit_cases() {
  std::ifstream file(testing::fixture("sklearn/classification.json"));
  return Config::from_json(std::string(std::istreambuf_iterator<char>(file), {}));
}

std::vector<double> numbers(const Config& list) {
  std::vector<double> all;
  for (const auto& item : list.as_list()) {
    if (!item.is_list()) {
      all.push_back(item.as_double());
    } else {
      for (const double number : numbers(item)) all.push_back(number);
    }
  }
  return all;
}

Tensor tensor_of(const Config& list) {
  const Tensor flat = at::tensor(numbers(list), at::kDouble);
  const auto rows = static_cast<int64_t>(list.as_list().size());
  return list.as_list().front().is_list() ? flat.view({rows, -1}) : flat;
}

void expect_numbers(const std::vector<double>& got, const Config& want, const char* what) {
  const auto theirs = numbers(want);
  ASSERT_EQ(got.size(), theirs.size()) << what;
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], theirs[i], kNear) << what << " " << i;
}

void expect_figures_of(const metrics::ClassFigures& got, const Config& want) {
  EXPECT_NEAR(got.precision, want.at("precision").as_double(), kNear);
  EXPECT_NEAR(got.recall, want.at("recall").as_double(), kNear);
  EXPECT_NEAR(got.f1, want.at("f1-score").as_double(), kNear);
  EXPECT_NEAR(got.support, want.at("support").as_double(), kNear);
}

/// One case, with or without weights: kind "plain" or "weighted".
struct ScikitCase {
  Tensor y, p, weights;
  Config want;
};

/// check(a case) for each that scikit-learn wrote.
template <class Check>
void for_each_case(const Check& check) {
  int cases = 0;
  const Config all = scikit_cases();
  for (const auto& about : all.as_list()) {
    for (const char* kind : {"plain", "weighted"}) {
      SCOPED_TRACE(about.at("name").as_string() + ", " + kind);
      const Tensor weights = kind == std::string("plain") ? Tensor() : tensor_of(about.at("weights"));
      check(ScikitCase{tensor_of(about.at("y_true")).to(at::kLong), tensor_of(about.at("y_pred")), weights,
                       about.at(kind)});
      ++cases;
    }
  }
  EXPECT_EQ(cases, 10);
}

TEST(ClassificationCases, ReportsAreScikitLearns) {
  for_each_case([](const ScikitCase& c) {
    const auto report = metrics::classification_report(c.y, c.p, {.sample_weight = c.weights});
    const auto& want = c.want.at("report");
    expect_numbers(numbers(Config(Config::List{report.accuracy})), Config(Config::List{want.at("accuracy")}),
                   "accuracy");
    const Tensor matrix = metrics::confusion_matrix(c.y, c.p, c.weights);
    EXPECT_TRUE(at::allclose(matrix, tensor_of(want.at("confusion"))));
    EXPECT_TRUE(at::equal(matrix, report.confusion));
    const auto& figures = want.at("figures");
    for (std::size_t i = 0; i < report.by_class.size(); ++i)
      expect_figures_of(report.by_class[i], figures.at(std::to_string(i)));
    expect_figures_of(report.macro, figures.at("macro avg"));
    expect_figures_of(report.weighted, figures.at("weighted avg"));
    EXPECT_EQ(report.macro_f1, report.macro.f1);
    if (!c.weights.defined() && figures.contains("accuracy")) {
      EXPECT_EQ(report.to_string(), want.at("text").as_string());
    }
  });
}

void expect_roc(const metrics::RocCurve& got, const Config& want) {
  expect_numbers(got.false_positive_rate, want.at("fpr"), "false positive rate");
  expect_numbers(got.true_positive_rate, want.at("tpr"), "true positive rate");
  EXPECT_NEAR(got.auc, want.at("auc").as_double(), kNear);
  ASSERT_TRUE(std::isinf(got.thresholds.front()));
  expect_numbers({got.thresholds.begin() + 1, got.thresholds.end()}, want.at("thresholds"), "thresholds");
}

TEST(ClassificationCases, RocCurvesAreScikitLearns) {
  for_each_case([](const ScikitCase& c) {
    const auto curve = metrics::roc_curve(c.y, c.p, {.average = "macro", .sample_weight = c.weights});
    const auto& by_class = c.want.at("roc").as_list();
    if (c.p.dim() == 1) return expect_roc(curve, by_class.front());
    ASSERT_EQ(curve.by_class.size(), by_class.size());
    for (std::size_t i = 0; i < by_class.size(); ++i) expect_roc(curve.by_class[i], by_class[i]);
    const auto& macro = c.want.at("roc_macro");
    EXPECT_NEAR(curve.auc, macro.at("auc").as_double(), kNear);
    // Ours begins at the origin as well.
    expect_numbers({curve.false_positive_rate.begin() + 1, curve.false_positive_rate.end()}, macro.at("fpr"),
                   "macro x");
    expect_numbers({curve.true_positive_rate.begin() + 1, curve.true_positive_rate.end()}, macro.at("tpr"), "macro y");
    EXPECT_EQ(curve.false_positive_rate.front() + curve.true_positive_rate.front(), 0);
    expect_roc(metrics::roc_curve(c.y, c.p, {.average = "micro", .sample_weight = c.weights}), c.want.at("roc_micro"));
  });
}

void expect_precision_recall(const metrics::PrecisionRecallCurve& got, const Config& want) {
  expect_numbers(got.precision, want.at("precision"), "precision");
  expect_numbers(got.recall, want.at("recall"), "recall");
  expect_numbers(got.thresholds, want.at("thresholds"), "thresholds");
  EXPECT_NEAR(got.average_precision, want.at("average_precision").as_double(), kNear);
}

TEST(ClassificationCases, PrecisionRecallCurvesAreScikitLearns) {
  for_each_case([](const ScikitCase& c) {
    const auto curve = metrics::precision_recall_curve(c.y, c.p, {.sample_weight = c.weights});
    const auto& by_class = c.want.at("precision_recall").as_list();
    if (c.p.dim() == 1) return expect_precision_recall(curve, by_class.front());
    ASSERT_EQ(curve.by_class.size(), by_class.size());
    double mean = 0;
    for (std::size_t i = 0; i < by_class.size(); ++i) {
      expect_precision_recall(curve.by_class[i], by_class[i]);
      mean += by_class[i].at("average_precision").as_double() / static_cast<double>(by_class.size());
    }
    EXPECT_NEAR(curve.average_precision, mean, kNear);
    expect_precision_recall(metrics::precision_recall_curve(c.y, c.p, {.average = "micro", .sample_weight = c.weights}),
                            c.want.at("precision_recall_micro"));
  });
}

TEST(ClassificationCases, AMatrixAddedUpInPartsGivesTheSameReport) {
  const Config all = scikit_cases();
  const Config& about = all.as_list().front();
  const Tensor y = tensor_of(about.at("y_true")).to(at::kLong), p = tensor_of(about.at("y_pred"));
  const auto metric = metrics::ConfusionMatrix(p.size(1)).get(), replica = metric->replicate();
  metric->update(y.slice(0, 0, 7), p.slice(0, 0, 7), {});
  replica->update(y.slice(0, 7), p.slice(0, 7), {});
  metric->merge(*replica);
  EXPECT_EQ(metrics::report_of_matrix(metric->results()).to_string(), metrics::classification_report(y, p).to_string());
  EXPECT_EQ(metrics::classification_report(at::one_hot(y), p).to_string(),
            metrics::classification_report(y, p).to_string());
}

TEST(ClassificationCases, NameWhatDoesNotFit) {
  const Tensor y = at::tensor({0, 1}), p = at::eye(2);
  EXPECT_EQ(message_of([&] { metrics::classification_report(y, p, {.names = {"a"}}); }),
            "classification_report: names must be one for each of 2 classes, got 1");
  EXPECT_EQ(message_of([&] { metrics::classification_report(y + 1, p); }),
            "confusion_matrix: labels must lie in [0, 2) for 2 classes, got 2 in row 1");
  EXPECT_NE(message_of([&] { metrics::roc_curve(y, p, {.average = "makro"}); }).find("'macro'"), std::string::npos);
  EXPECT_EQ(message_of([&] { metrics::roc_curve(y * 0, p); }),
            "roc_curve: a class must be true of some rows and false of others, but none is");
  EXPECT_EQ(message_of([&] { metrics::roc_curve(y, p / 0.0); }), "roc_curve: scores must be numbers, got NaN");
}

}  // namespace
}  // namespace tandem
