#include "tandem/losses/function.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace tandem {
namespace {

TEST(LossFunction, CallsTheUsersFunction) {
  const Handle<Loss> loss = losses::function([](const Tensor& y, const Tensor& p) { return (y - p).abs().sum(-1); });
  const Tensor values = loss.get()->call(at::zeros({2, 3}), at::ones({2, 3}));
  EXPECT_TRUE(at::equal(values, at::full({2}, 3.0f)));
  EXPECT_EQ(loss.get()->class_name(), "function");
}

TEST(LossFunction, OneNumberCountsForEachRow) {
  const auto loss = losses::function([](const Tensor& y, const Tensor& p) { return (y - p).square().mean(); }).get();
  const Tensor y = at::rand({4, 2}), p = at::rand({4, 2}).requires_grad_();
  const Tensor values = loss->call(y, p);
  ASSERT_EQ(values.sizes(), at::IntArrayRef({4}));
  values.mean().backward();  // as if the number itself had been the loss
  EXPECT_TRUE(at::allclose(p.grad(), (p - y).detach() * 2 / 8));
}

TEST(LossFunction, NamesAResultThatDoesNotFitTheRows) {
  const auto loss = losses::function([](const Tensor&, const Tensor&) { return at::zeros({3}); }, "odd").get();
  try {
    loss->call(at::zeros({4, 2}), at::zeros({4, 2}));
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "losses::function 'odd': must return one value for each of the 4 rows, got shape (3,)");
  }
  const auto nothing = losses::function([](const Tensor&, const Tensor&) { return Tensor(); }).get();
  EXPECT_THROW(nothing->call(at::zeros({4, 2}), at::zeros({4, 2})), InvalidArgument);
  EXPECT_THROW(losses::function(nullptr), InvalidArgument);
}

}  // namespace
}  // namespace tandem
