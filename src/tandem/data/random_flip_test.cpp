#include "tandem/data/random_flip.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tandem/core/error.h"

namespace tandem::data {
namespace {

struct Case {
  const char* mode;
  std::vector<std::vector<int64_t>> outcomes;  // axes flipped (of one image), all outcomes equally likely
};

class RandomFlips : public ::testing::TestWithParam<Case> {};

TEST_P(RandomFlips, EachOutcomeIsEquallyLikely) {
  const int64_t rows = 2000;
  std::vector<RandomStream> streams;
  for (int64_t i = 0; i < rows; ++i) streams.push_back(RandomStream(3).fold(static_cast<uint64_t>(i)));
  const Tensor image = at::arange(5 * 4 * 3).reshape({5, 4, 3});
  for (const auto type : {at::kByte, at::kFloat}) {
    const Tensor x = image.to(type).expand({rows, 5, 4, 3}).contiguous();
    const Tensor flipped = RandomFlip(GetParam().mode)->apply({x, {}, {}}, streams).x[0];
    EXPECT_EQ(flipped.scalar_type(), type);
    int64_t known = 0;
    const double share = 1.0 / static_cast<double>(GetParam().outcomes.size());
    for (const auto& axes : GetParam().outcomes) {
      const Tensor expected = at::flip(image.to(type), axes);
      const auto count = flipped.eq(expected).reshape({rows, -1}).all(1).sum().item<int64_t>();
      EXPECT_NEAR(static_cast<double>(count) / rows, share, 4 * std::sqrt(share * (1 - share) / rows));
      known += count;
    }
    EXPECT_EQ(known, rows);
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, RandomFlips,
                         ::testing::Values(Case{"horizontal", {{}, {1}}}, Case{"vertical", {{}, {0}}},
                                           Case{"horizontal_and_vertical", {{}, {0}, {1}, {0, 1}}}));

TEST(RandomFlip, RefusesAnUnknownMode) {
  try {
    RandomFlip("horizontl");
    ADD_FAILURE();
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "RandomFlip: mode 'horizontl' is not known; did you mean 'horizontal'?");
  }
}

}  // namespace
}  // namespace tandem::data
