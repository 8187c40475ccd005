// Modules of torch::nn in 16 bits: LibTorch's autocast, and a scaler with torch.amp.GradScaler's rules.
#include "tandem/precision/grad_scaler.h"

#include <gtest/gtest.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/sgd.h>

#include <limits>

#include "tandem/core/error.h"
#include "tandem/precision/autocast.h"
#include "tandem/testing/captured_log.h"
#include "tandem/testing/message_of.h"

namespace tandem::precision {
namespace {

using testing::message_of;

struct Training {
  torch::nn::Linear module{4, 3};
  torch::optim::SGD optimizer{module->parameters(), 0.1};
  Tensor x = at::ones({2, 4});

  void backward(GradScaler& scaler, double factor = 1) {
    optimizer.zero_grad();
    scaler.scale(module->forward(x).sum() * factor).backward();
  }
};

TEST(GradScaler, DividesWhatItMultiplied) {
  Training a;
  const Tensor before = a.module->weight.detach().clone();
  GradScaler scaler({.initial_scale = 1024});
  a.backward(scaler);
  EXPECT_EQ(a.module->bias.grad()[0].item<float>(), 2048);
  EXPECT_TRUE(scaler.step(a.optimizer));
  // d sum / d weight is the sum of the rows: 2.
  EXPECT_TRUE(at::allclose(a.module->weight, before - 0.1 * 2, 1e-6, 1e-6));
}

TEST(GradScaler, HalvesAndGrowsByTorchsRules) {
  Training a;
  GradScaler scaler({.initial_scale = 8, .growth_interval = 2, .minimum_scale = 2});
  std::vector<double> scales;
  for (const bool overflows : {true, true, true, false, false, false, true}) {
    const Tensor before = a.module->weight.detach().clone();
    a.backward(scaler, overflows ? std::numeric_limits<double>::infinity() : 1);
    EXPECT_EQ(scaler.step(a.optimizer), !overflows);
    EXPECT_EQ(at::equal(before, a.module->weight), overflows);
    scaler.update();
    scales.push_back(scaler.scale());
  }
  EXPECT_EQ(scales, (std::vector<double>{4, 2, 2, 2, 4, 4, 2}));
}

TEST(GradScaler, NamesTheFirstThatIsNotFinite) {
  testing::CapturedLog log;
  Training a;
  GradScaler scaler({.initial_scale = 8, .tell_after = 2});
  scaler.name_after(*a.module);
  for (int step = 0; step < 2; ++step) {
    a.backward(scaler);
    a.module->bias.mutable_grad()[1] = std::numeric_limits<float>::quiet_NaN();
    scaler.step(a.optimizer);
    scaler.update();
  }
  ASSERT_EQ(log.warnings().size(), 1U);
  EXPECT_EQ(log.warnings().front(),
            "GradScaler: 2 steps in a row were left out; the scale is now 2, the first gradient that is not finite is "
            "that of 'bias'");
}

TEST(GradScaler, ComesBackFromItsState) {
  Training a;
  GradScaler scaler({.initial_scale = 1024, .growth_interval = 3});
  for (int step = 0; step < 2; ++step) {
    a.backward(scaler);
    scaler.step(a.optimizer);
    scaler.update();
  }
  GradScaler again({.growth_interval = 3});
  again.set_state(scaler.state());
  EXPECT_EQ(again.scale(), 1024);
  a.backward(again);
  EXPECT_TRUE(again.step(a.optimizer));
  again.update();
  EXPECT_EQ(again.scale(), 2048);  // the third in a row
}

TEST(GradScaler, EveryRankDoesWhatOneMust) {
  Training a;
  GradScaler scaler({.initial_scale = 8, .agree = [](bool) { return false; }});
  a.backward(scaler);
  EXPECT_FALSE(scaler.step(a.optimizer));
  scaler.update();
  EXPECT_EQ(scaler.scale(), 4);
}

TEST(GradScaler, RefusesWhatCannotWork) {
  EXPECT_EQ(message_of([] { GradScaler({.growth_factor = 1}); }), "GradScaler: growth_factor must be above 1, got 1");
  EXPECT_EQ(message_of([] { GradScaler({.initial_scale = 1, .minimum_scale = 2}); }),
            "GradScaler: minimum_scale must be above 0 and at most initial_scale, got 2");
  EXPECT_EQ(message_of([] { GradScaler().update(); }), "GradScaler: step must be called before update");
  Training a;
  GradScaler scaler;
  a.backward(scaler);
  scaler.unscale(a.optimizer);
  EXPECT_EQ(message_of([&] { scaler.unscale(a.optimizer); }),
            "GradScaler: unscale must be called once between two updates");
}

TEST(Autocast, ComputesProductsIn16BitsAndKeepsWeights) {
  torch::nn::Linear module(4, 3);
  const Tensor x = at::ones({2, 4});
  Tensor inside;
  {
    const Autocast in_16_bits(at::kBFloat16);
    inside = module->forward(x);
  }
  EXPECT_EQ(inside.scalar_type(), at::kBFloat16);
  inside.sum().backward();
  EXPECT_EQ(module->weight.scalar_type(), at::kFloat);
  EXPECT_EQ(module->weight.grad().scalar_type(), at::kFloat);
  EXPECT_EQ(module->forward(x).scalar_type(), at::kFloat);
  EXPECT_EQ(message_of([] { Autocast in_double(at::kDouble); }), "Autocast: type must be BFloat16 or Half, got Double");
}

TEST(Autocast, SeesWeightsThatChangedBetweenTwoOfIt) {
  torch::nn::Linear module(2, 1);
  const Tensor x = at::ones({1, 2});
  const auto forward = [&] {
    const Autocast in_16_bits(at::kBFloat16);
    return module->forward(x).item<float>();
  };
  forward();
  {
    c10::NoGradGuard no_grad;
    module->weight.fill_(3);
    module->bias.fill_(1);
  }
  EXPECT_EQ(forward(), 7);
}

}  // namespace
}  // namespace tandem::precision
