// What Keras's cases do not reach: errors, values that are not numbers, and the matrix that Keras has no metric for.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tandem/metrics/at_bound.h"
#include "tandem/metrics/auc.h"
#include "tandem/metrics/confusion_counts.h"
#include "tandem/metrics/confusion_matrix_metric.h"
#include "tandem/metrics/f_score.h"
#include "tandem/metrics/iou.h"
#include "tandem/metrics/precision.h"
#include "tandem/metrics/r2_score.h"

namespace tandem {
namespace {

template <class Call>
std::string refusal_of(const Call& call) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(CountingMetrics, RefuseSettingsOutOfRangeByName) {
  using namespace metrics;
  EXPECT_EQ(refusal_of([] { Precision({.thresholds = {1.5}}); }), "Precision: thresholds must lie in [0, 1], got 1.5");
  EXPECT_EQ(refusal_of([] { TruePositives({.thresholds = {std::nan("")}}); }),
            "TruePositives: thresholds must lie in [0, 1], got nan");
  EXPECT_EQ(refusal_of([] { Recall({.top_k = 0}); }), "Recall: top_k must be at least 1, got 0");
  EXPECT_EQ(refusal_of([] { AUC({.num_thresholds = 1}); }), "AUC: num_thresholds must be at least 2, got 1");
  EXPECT_NE(refusal_of([] { AUC({.curve = "ROCK"}); }).find("'ROC'"), std::string::npos);
  EXPECT_EQ(refusal_of([] { AUC({.num_labels = 3}); }), "AUC: num_labels is for multi_label, got 3");
  EXPECT_EQ(refusal_of([] { SensitivityAtSpecificity(1.01); }),
            "SensitivityAtSpecificity: specificity must lie in [0, 1], got 1.01");
  EXPECT_EQ(refusal_of([] { FBetaScore({.beta = 0}); }), "FBetaScore: beta must be more than 0, got 0");
  EXPECT_EQ(refusal_of([] { F1Score({.threshold = 0}); }), "F1Score: threshold must lie in (0, 1], got 0");
  EXPECT_EQ(refusal_of([] { IoU(3, {3}); }), "IoU: target_class_ids must lie in [0, 3), got 3");
  EXPECT_EQ(refusal_of([] { MeanIoU(3, {.dtype = "bfloat16"}); }),
            "MeanIoU: dtype must be int64, int32 or float32, got bfloat16");
  EXPECT_NE(refusal_of([] { R2Score({.class_aggregation = "uniform"}); }).find("'uniform_average'"), std::string::npos);
  EXPECT_EQ(refusal_of([] { ConfusionMatrix(1); }), "ConfusionMatrix: num_classes must be at least 2, got 1");
}

TEST(CountingMetrics, RefuseRowsThatDoNotFit) {
  const auto auc = metrics::AUC({.multi_label = true}).get();
  EXPECT_EQ(auc->result(), 0);
  auc->update(at::ones({2, 3}), at::ones({2, 3}), {});
  EXPECT_EQ(refusal_of([&] {
              auc->update(at::ones({2, 4}), at::ones({2, 4}), {});
            }),
            "metric AUC: must get 3 labels as before, got (2, 4)");
  EXPECT_EQ(refusal_of([&] {
              auc->update(at::ones({2}), at::ones({2, 1, 1}), {});
            }),
            "metric AUC: targets must have the shape of the predictions (2, 1, 1), got (2,)");
  const auto other = auc->replicate();
  other->update(at::ones({2, 4}), at::ones({2, 4}), {});
  EXPECT_EQ(refusal_of([&] { auc->merge(*other); }),
            "metric auc: all rows must have as many values, got states (200, 3) and (200, 4)");
  EXPECT_EQ(refusal_of([] {
              metrics::Precision({.top_k = 4}).get()->update(at::ones({2, 3}), at::ones({2, 3}), {});
            }),
            "metric Precision: top_k must be at most the 3 classes, got 4");
  EXPECT_EQ(refusal_of([] {
              metrics::Recall({.class_id = 3}).get()->update(at::ones({2, 3}), at::ones({2, 3}), {});
            }),
            "metric Recall: class_id must be one of 3 classes, got 3");
  EXPECT_EQ(refusal_of([] {
              metrics::F1Score().get()->update(at::ones({2}), at::ones({2, 3}), {});
            }),
            "metric F1Score: targets and predictions must be (rows, classes), got (2,) and (2, 3)");
}

TEST(CountingMetrics, WhatIsNoNumberIsAboveNoThreshold) {
  const Tensor nan = at::full({2, 1}, std::numeric_limits<float>::quiet_NaN()), truth = at::ones({2, 1});
  for (const auto& thresholds : {std::vector<double>{0.5}, std::vector<double>{0, 0.5, 1}}) {
    const auto missed = metrics::FalseNegatives({.thresholds = thresholds}).get();
    missed->update(truth, nan, {});
    EXPECT_EQ(missed->result(), 2);
  }
}

TEST(CountingMetrics, OnePredictedTopKRowIsTheFirstOfEqualOnes) {
  const auto precision = metrics::Precision({.top_k = 1}).get();
  precision->update(at::tensor({1.f, 0.f, 0.f}).unsqueeze(0), at::full({1, 3}, 0.2), {});
  EXPECT_EQ(precision->result(), 1);
}

TEST(CountingMetrics, AConfusionMatrixAddsUpPairsByTrueRow) {
  const auto matrix = metrics::ConfusionMatrix(3).get();
  const Tensor scores = at::tensor({0.1f, 0.7f, 0.2f, 0.5f, 0.4f, 0.1f, 0.2f, 0.2f, 0.6f}).reshape({3, 3});
  matrix->update(at::tensor({0, 0, 2}), scores, {});
  matrix->update(at::tensor({1.f, 2.f, 2.f}).unsqueeze(-1), scores, at::tensor({2.f, 1.f, 0.5f}));
  // Predicted are 1, 0, 2 in both.
  EXPECT_TRUE(at::equal(matrix->results(), at::tensor({1., 1., 0., 0., 2., 0., 1., 0., 1.5}).reshape({3, 3})));
  EXPECT_DOUBLE_EQ(matrix->result(), 4.5 / 6.5);
  const auto one_hot = matrix->replicate();
  one_hot->update(at::eye(3), scores, {});
  EXPECT_TRUE(at::equal(one_hot->results(), at::tensor({0., 1., 0., 1., 0., 0., 0., 0., 1.}).reshape({3, 3})));
  const auto binary = metrics::ConfusionMatrix(2).get();
  binary->update(at::tensor({0, 1}), at::tensor({0.2f, 0.5f}).unsqueeze(-1), {});
  EXPECT_TRUE(at::equal(binary->results(), at::tensor({1., 0., 1., 0.}).reshape({2, 2})));
  EXPECT_EQ(refusal_of([&] {
              matrix->update(at::tensor({3, 0, 0}), scores, {});
            }),
            "metric ConfusionMatrix: labels must lie in [0, 3) for 3 classes, got 3 in row 0");
}

}  // namespace
}  // namespace tandem
