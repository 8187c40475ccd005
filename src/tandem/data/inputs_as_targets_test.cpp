#include "tandem/data/inputs_as_targets.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/data/dataset.h"

namespace tandem::data {
namespace {

TEST(InputsAsTargets, AreWhatTheModelGets) {
  const Tensor x = at::arange(2 * 4 * 4, at::kFloat).view({2, 4, 4, 1});
  const auto rows = TensorDataset(x, at::arange(2)).map(InputsAsTargets(Preprocessing().rescale(0.5)));
  const auto batch = rows.get(1);
  EXPECT_TRUE(at::equal(batch.x[0].flatten(), x[1].flatten()));
  EXPECT_TRUE(at::equal(batch.y[0].flatten(), x[1].flatten() * 0.5));
  EXPECT_EQ(batch.y.size(), 1);
}

}  // namespace
}  // namespace tandem::data
