#include "tandem/losses/hinge.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/losses/categorical_hinge.h"
#include "tandem/losses/squared_hinge.h"

namespace tandem {
namespace {

const Tensor& hinge_predictions() {
  static const Tensor predictions = at::tensor({0.5, -2.0, 2.0, 0.0}).view({2, 2});
  return predictions;
}

TEST(Hinge, TakesBitsAsMinusOneAndOne) {
  const Tensor bits = at::tensor({1, 0, 0, 0}).view({2, 2}), signs = bits * 2 - 1;
  const Tensor want = at::tensor({0.25, 2.0});  // (0.5 + 0) / 2, (3 + 1) / 2
  for (const Tensor& y : {bits, signs, bits.to(at::kBool), signs.to(at::kFloat)}) {
    EXPECT_TRUE(at::equal(losses::Hinge().get()->call(y, hinge_predictions()), want)) << y;
  }
  EXPECT_TRUE(at::equal(losses::SquaredHinge().get()->call(bits, hinge_predictions()), at::tensor({0.125, 5.0})));
}

TEST(Hinge, AMixThatOnlyTheWholeBatchCanDecideIsRefused) {
  for (const auto& loss : {losses::Hinge().get(), losses::SquaredHinge().get()}) {
    try {
      loss->call(at::tensor({1, 0, -1, 0}).view({2, 2}), hinge_predictions());
      FAIL();
    } catch (const InvalidArgument& error) {
      EXPECT_EQ(std::string(error.what()), loss->class_name() + ": targets must be -1 and 1, or 0 and 1, got 0 and -1");
    }
  }
}

TEST(Hinge, EqualsItselfHoweverTheRowsAreDivided) {
  const Tensor p = at::randn({6, 3}), bits = at::randint(2, {6, 3}, at::kLong);
  bits.slice(0, 0, 2).fill_(1);  // the first part alone does not tell bits from signs
  for (const Tensor& y : {bits, bits * 2 - 1}) {
    for (const auto& loss : {losses::Hinge().get(), losses::SquaredHinge().get()}) {
      const Tensor parts =
          at::cat({loss->call(y.slice(0, 0, 2), p.slice(0, 0, 2)), loss->call(y.slice(0, 2), p.slice(0, 2))});
      EXPECT_TRUE(at::equal(parts, loss->call(y, p)));
    }
  }
}

TEST(CategoricalHinge, IsHowMuchTheBestWrongPredictionComesTooNear) {
  const Tensor y = at::tensor({0, 1, 0, 1, 0, 0}).view({2, 3});
  const Tensor p = at::tensor({0.5, 2.0, 1.5, 3.0, 1.0, -1.0}).view({2, 3});
  EXPECT_TRUE(at::equal(losses::CategoricalHinge().get()->call(y, p), at::tensor({0.5, 0.0})));
}

}  // namespace
}  // namespace tandem
