// What holds for every loss of the catalog, and the formulas and ranges of those with settings of their own.
#include "tandem/losses/row_loss.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <type_traits>

#include "tandem/losses/cosine_similarity.h"
#include "tandem/losses/huber.h"
#include "tandem/losses/loss_options.h"
#include "tandem/losses/mean_absolute_error.h"

namespace tandem {
namespace {

static_assert(std::is_aggregate_v<losses::LossOptions> && std::is_aggregate_v<losses::HuberOptions> &&
              std::is_aggregate_v<losses::CosineSimilarityOptions>);

bool takes_class_ids(const std::string& name) { return name.find("parse") != std::string::npos; }

/// Targets of (rows, 3) predictions that any loss but the sparse ones takes.
Tensor targets_for(const std::string& name, int64_t rows) {
  return takes_class_ids(name) ? at::randint(3, {rows}, at::kLong) : at::eye(3).repeat({rows, 1}).slice(0, 0, rows);
}

TEST(EveryLoss, ValuesDependOnTheirOwnRowAlone) {
  for (const auto& name : Loss::names()) {
    const auto loss = Loss::make(name);
    if (loss->over_batch()) continue;
    const Tensor y = targets_for(name, 7), p = at::rand({7, 3}) + 0.01;
    const Tensor values = loss->call(y, p);
    ASSERT_EQ(values.sizes(), at::IntArrayRef({7})) << name;
    const Tensor parts =
        at::cat({loss->call(y.slice(0, 0, 2), p.slice(0, 0, 2)), loss->call(y.slice(0, 2), p.slice(0, 2))});
    EXPECT_TRUE(at::allclose(parts, values)) << name;
    EXPECT_EQ(loss->call(y.slice(0, 0, 0), p.slice(0, 0, 0)).numel(), 0) << name;
  }
}

TEST(EveryLoss, RefusesTargetsThatDoNotFit) {
  for (const auto& name : Loss::names()) {
    const auto loss = Loss::make(name);
    EXPECT_THROW(loss->call(at::zeros({5, 2}), at::ones({6, 3})), InvalidArgument) << name;
    EXPECT_THROW(loss->call(targets_for(name, 5), at::ones({6, 3})), InvalidArgument) << name;
  }
}

TEST(EveryLoss, TakesTargetsThatLackALastAxisOfOne) {
  for (const auto& name : Loss::names()) {
    if (takes_class_ids(name)) continue;
    const auto loss = Loss::make(name);
    const Tensor y = at::randint(2, {4}, at::kLong), p = at::rand({4, 1}) + 0.01;
    EXPECT_TRUE(at::equal(loss->call(y, p), loss->call(y.unsqueeze(-1), p))) << name;
  }
}

TEST(RowLoss, AColumnOfStepsIsDroppedAsInKeras) {
  const auto loss = losses::MeanAbsoluteError().get();
  const Tensor y = at::rand({4, 3}), p = at::rand({4, 3, 1});
  EXPECT_TRUE(at::equal(loss->call(y, p), (y - p.squeeze(-1)).abs().mean(-1)));
}

TEST(Huber, IsQuadraticUpToDeltaAndLinearAboveIt) {
  const Tensor y = at::zeros({3, 1}, at::kDouble), p = at::tensor({0.5, -2.0, 6.0}).view({3, 1});
  EXPECT_TRUE(at::equal(losses::Huber({.delta = 2}).get()->call(y, p), at::tensor({0.125, 2.0, 10.0})));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {0.0, -1.0, nan, std::numeric_limits<double>::infinity()})
    EXPECT_THROW(losses::Huber({.delta = bad}), InvalidArgument) << bad;
}

TEST(LogCosh, IsLinearFarFromTheTargetAndDoesNotOverflow) {
  const Tensor values = Loss::make("log_cosh")->call(at::zeros({2, 1}), at::tensor({-500.0f, 500.0f}).view({2, 1}));
  EXPECT_TRUE(at::allclose(values, at::full({2}, 500 - std::log(2.0f))));
}

TEST(CosineSimilarity, AZeroVectorHasNoDirectionAndNoGradient) {
  const auto loss = losses::CosineSimilarity().get();
  const Tensor y = at::tensor({1.0f, 0.0f, 3.0f, 4.0f}).view({2, 2});
  const Tensor p = at::tensor({0.0f, 0.0f, 6.0f, 8.0f}).view({2, 2}).requires_grad_();
  const Tensor values = loss->call(y, p);
  EXPECT_EQ(values[0].item<float>(), 0);
  EXPECT_FLOAT_EQ(values[1].item<float>(), -1);
  values.sum().backward();
  EXPECT_TRUE(p.grad().isfinite().all().item<bool>()) << p.grad();
  EXPECT_THROW(losses::CosineSimilarity({.axis = 0}).get()->call(y, p), InvalidArgument);
  EXPECT_THROW(losses::CosineSimilarity({.axis = 2}).get()->call(y, p), InvalidArgument);
}

}  // namespace
}  // namespace tandem
