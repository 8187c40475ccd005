#include "tandem/data/digits.h"

#include <gtest/gtest.h>

#include <array>

namespace tandem::datasets {
namespace {

// Sums and counts of sklearn.datasets.load_digits(): data.sum(), np.bincount(target), the first image.
TEST(Digits, AreThoseOfScikitLearn) {
  const Dataset digits = datasets::digits();
  EXPECT_EQ(digits.size(), 1797);
  const Tensor x = digits.x(), y = digits.y();
  EXPECT_EQ(x.sizes(), at::IntArrayRef({1797, 8, 8, 1}));
  EXPECT_EQ(x.scalar_type(), at::kFloat);
  EXPECT_EQ(y.sizes(), at::IntArrayRef({1797}));
  EXPECT_EQ(y.scalar_type(), at::kLong);
  EXPECT_EQ(x.to(at::kDouble).sum().item<double>(), 561718);
  EXPECT_EQ(x.min().item<float>(), 0);
  EXPECT_EQ(x.max().item<float>(), 16);
  const std::array<int64_t, 10> counts = {178, 182, 177, 183, 181, 182, 181, 179, 174, 180};
  for (int64_t label = 0; label < 10; ++label) EXPECT_EQ(y.eq(label).sum().item<int64_t>(), counts[label]) << label;
  const std::vector<float> top = {0, 0, 5, 13, 9, 1, 0, 0, 0, 0, 13, 15, 10, 15, 5, 0};
  EXPECT_TRUE(at::equal(x[0].reshape({64}).slice(0, 0, 16), at::tensor(top)));
  EXPECT_EQ(y[0].item<int64_t>(), 0);
}

}  // namespace
}  // namespace tandem::datasets
