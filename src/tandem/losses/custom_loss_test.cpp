// A loss as a user writes it.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/losses/loss.h"

namespace tandem {
namespace {

/// The quantile (pinball) loss: under- and overestimates count differently.
struct Quantile : Loss {
  explicit Quantile(double q) : q(q) {}
  Tensor call(const Tensor& y_true, const Tensor& y_pred) const override {
    const Tensor error = y_true - y_pred;
    return at::maximum(error * q, error * (q - 1)).mean(-1);
  }
  std::string class_name() const override { return "Quantile"; }
  double q;
};

TEST(CustomLoss, NeedsACallAndAName) {
  const Handle<Loss> handle = std::make_shared<Quantile>(0.9);
  const auto loss = handle.get();
  const Tensor y = at::zeros({2, 1}), p = at::tensor({-1.0f, 1.0f}).view({2, 1}).requires_grad_();
  const Tensor values = loss->call(y, p);
  EXPECT_TRUE(at::allclose(values, at::tensor({0.9f, 0.1f})));
  values.sum().backward();
  EXPECT_TRUE(at::allclose(p.grad(), at::tensor({-0.9f, 0.1f}).view({2, 1})));
  EXPECT_EQ(loss->reduction(), Reduction::kSumOverBatchSize);
  EXPECT_FALSE(loss->prefers_logits());
  EXPECT_FALSE(loss->mask(y, p).defined());
}

}  // namespace
}  // namespace tandem
