#include "tandem/losses/dice.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using testing::message_of;

TEST(Dice, IsOneValueOfTheWholeBatch) {
  const Tensor y = at::tensor({1.f, 0.f, 1.f, 1.f}).view({2, 2}), p = at::tensor({0.5f, 0.f, 0.75f, 1.f}).view({2, 2});
  const auto dice = losses::Dice().get();
  EXPECT_TRUE(dice->over_batch());
  // 2 * (0.5 + 0.75 + 1) / (3 + 2.25)
  EXPECT_TRUE(at::allclose(dice->call(y, p), at::full({2}, 1 - 4.5 / 5.25)));
  const auto tversky = losses::Tversky({.alpha = 0.2, .beta = 0.8}).get();
  // 2.25 / (2.25 + 0.2 * (0.5 + 0.25) + 0.8 * 0)
  EXPECT_TRUE(at::allclose(tversky->call(y, p), at::full({2}, 1 - 2.25 / 2.4)));
}

TEST(Dice, SumsOverAxesRowByRow) {
  const auto dice = losses::Dice({.axis = {-1}}).get();
  EXPECT_FALSE(dice->over_batch());
  const Tensor y = at::tensor({1.f, 0.f, 1.f, 1.f}).view({2, 2}), p = at::tensor({0.5f, 0.f, 0.75f, 1.f}).view({2, 2});
  EXPECT_TRUE(at::allclose(dice->call(y, p), at::tensor({1 - 1 / 1.5f, 1 - 3.5f / 3.75f})));
  // By column over the rows: a value of the batch, the mean of two.
  const auto columns = losses::Dice({.axis = {0}}).get();
  EXPECT_TRUE(at::allclose(columns->call(y, p), at::full({2}, ((1 - 2.5 / 3.25) + (1 - 2 / 2.0)) / 2)));
}

// Each replica has some rows, and the sums are those of all.
TEST(Dice, ReplicasComputeWhatOneWould) {
  const Tensor y = at::randint(2, {5, 3}).to(at::kFloat), p = at::rand({5, 3});
  for (const auto& loss : {losses::Dice().get(), losses::Tversky({.alpha = 0.3}).get()}) {
    Tensor all;
    const auto add = [&](const Tensor& own) { return all = all.defined() ? all + own : own.clone(); };
    loss->call_over_batch(y.slice(0, 0, 2), p.slice(0, 0, 2), add);
    loss->call_over_batch(y.slice(0, 2), p.slice(0, 2), add);
    const auto added = [&](const Tensor&) { return all; };
    const Tensor values = at::cat({loss->call_over_batch(y.slice(0, 0, 2), p.slice(0, 0, 2), added),
                                   loss->call_over_batch(y.slice(0, 2), p.slice(0, 2), added)});
    EXPECT_TRUE(at::allclose(values, loss->call(y, p)));
  }
}

TEST(Dice, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(message_of([] { losses::Tversky({.alpha = -1}); }), "Tversky: alpha and beta must be at least 0, got -1");
  EXPECT_EQ(message_of([] {
              losses::Dice({.axis = {2}}).get()->call(at::ones({2, 2}), at::ones({2, 2}));
            }),
            "Dice: axis must be one of the predictions' (2, 2), got 2");
  EXPECT_THROW(losses::Dice({.reduction = "none"}), InvalidArgument);
}

}  // namespace
}  // namespace tandem
