#include "tandem/metrics/top_k_accuracy.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <limits>
#include <type_traits>

namespace tandem {
namespace {

static_assert(std::is_aggregate_v<metrics::TopKCategoricalAccuracyOptions> &&
              std::is_aggregate_v<metrics::SparseTopKCategoricalAccuracyOptions>);

double top_k_of(const Handle<Metric>& handle, const Tensor& y_true, const Tensor& y_pred) {
  const auto metric = handle.get()->replicate();
  metric->update(y_true, y_pred, {});
  return metric->result();
}

TEST(TopKAccuracy, CountsAllThatTieWithTheKthLargest) {
  const Tensor p = at::tensor({0.4f, 0.3f, 0.3f, 0.0f}).view({1, 4});
  for (const auto& [id, k, want] :
       {std::tuple{0, 1, 1.0}, {1, 1, 0.0}, {1, 2, 1.0}, {2, 2, 1.0}, {3, 3, 0.0}, {3, 4, 1.0}}) {
    EXPECT_EQ(top_k_of(metrics::SparseTopKCategoricalAccuracy({.k = k}), at::full({1}, id), p), want) << id << " " << k;
    EXPECT_EQ(top_k_of(metrics::TopKCategoricalAccuracy({.k = k}), at::eye(4)[id].unsqueeze(0), p), want);
  }
  EXPECT_EQ(top_k_of(metrics::SparseTopKCategoricalAccuracy({.k = 9}), at::full({1}, 3), p), 1);  // more than classes
}

TEST(TopKAccuracy, NoHitForAnUnknownIdOrARowThatIsNotFinite) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  const Tensor p = at::tensor({0.9f, 0.1f, 0.9f, 0.1f, 0.9f, nan, inf, 0.1f}).view({4, 2});
  const Tensor ids = at::tensor({-1, 2, 0, 0});
  EXPECT_EQ(top_k_of(metrics::SparseTopKCategoricalAccuracy({.k = 2}), ids, p), 0);
}

TEST(TopKAccuracy, RefusesAKBelowOneAndTargetsThatDoNotFit) {
  EXPECT_THROW(metrics::TopKCategoricalAccuracy({.k = 0}), InvalidArgument);
  EXPECT_THROW(metrics::SparseTopKCategoricalAccuracy({.k = -1}), InvalidArgument);
  EXPECT_THROW(top_k_of(metrics::TopKCategoricalAccuracy(), at::zeros({3}), at::zeros({3, 2})), InvalidArgument);
  EXPECT_THROW(top_k_of(metrics::SparseTopKCategoricalAccuracy(), at::zeros({3, 2}), at::zeros({3, 2})),
               InvalidArgument);
}

}  // namespace
}  // namespace tandem
