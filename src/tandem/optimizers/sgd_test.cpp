#include "tandem/optimizers/sgd.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <limits>
#include <type_traits>

#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using testing::message_of;

static_assert(std::is_aggregate_v<optimizers::SGDOptions>);

constexpr double kRate = 0.1, kMomentum = 0.9, kDecay = 0.02;

/// Two steps of the rule in float64, by its formula.
Tensor by_formula(const Tensor& weight, const Tensor& gradient, bool nesterov) {
  Tensor w = weight.to(at::kDouble), g = gradient.to(at::kDouble), m = at::zeros_like(w);
  for (int step = 0; step < 2; ++step) {
    w = w - kRate * kDecay * w;
    m = kMomentum * m - kRate * g;
    w = w + (nesterov ? kMomentum * m - kRate * g : m);
  }
  return w;
}

void two_steps(Tensor& weight, const Tensor& gradient, Tensor slot, bool nesterov) {
  const auto sgd = optimizers::SGD({.momentum = kMomentum, .nesterov = nesterov, .weight_decay = kDecay}).get();
  std::vector<Tensor> slots{std::move(slot)};
  for (int step = 0; step < 2; ++step) sgd->update(weight, gradient, slots, step, kRate);
}

TEST(SGD, FollowsTheFormulaInEveryMemoryOrderAndType) {
  const Tensor flat = at::randn({120}), gradient = at::randn({120});
  const auto image = [](const Tensor& t) { return t.view({2, 3, 4, 5}); };
  const auto channels_last = [&](const Tensor& t) { return image(t).contiguous(at::MemoryFormat::ChannelsLast); };
  const auto every_second = [](const Tensor& t) { return at::stack({t, t}, 1).select(1, 0); };
  const auto half = [](const Tensor& t) { return t.to(at::kBFloat16); };
  const auto real = [](const Tensor& t) { return t.to(at::kDouble); };
  const struct {
    const char* what;
    Tensor weight, gradient, slot;
    double tolerance;
  } kCases[] = {
      {"contiguous", flat.clone(), gradient, at::zeros_like(flat), 1e-6},
      {"flat slot of a shaped weight", image(flat.clone()), image(gradient), at::zeros_like(flat), 1e-6},
      {"channels last", channels_last(flat), channels_last(gradient), channels_last(at::zeros_like(flat)), 1e-6},
      {"mixed orders", channels_last(flat), image(gradient), image(at::zeros_like(flat)), 1e-6},
      {"with gaps", every_second(flat), every_second(gradient), every_second(at::zeros_like(flat)), 1e-6},
      {"float64", real(flat), real(gradient), real(at::zeros_like(flat)), 1e-12},
      {"bfloat16", half(flat), half(gradient), half(at::zeros_like(flat)), 0.05},
  };
  for (const bool nesterov : {false, true}) {
    for (const auto& [what, weight, gradients, slot, tolerance] : kCases) {
      const Tensor want = by_formula(weight, gradients, nesterov);
      Tensor got = weight.clone(at::MemoryFormat::Preserve);
      if (std::string(what) == "with gaps") got = every_second(weight);
      two_steps(got, gradients, slot.clone(at::MemoryFormat::Preserve), nesterov);
      EXPECT_TRUE(at::allclose(got.to(at::kDouble), want, tolerance, tolerance))
          << what << (nesterov ? ", nesterov" : "");
    }
  }
}

TEST(SGD, NamesItsSlots) {
  EXPECT_TRUE(optimizers::SGD().get()->slots().empty());
  EXPECT_EQ(optimizers::SGD({.momentum = 0.5}).get()->slots(), std::vector<std::string>{"momentum"});
}

TEST(SGD, RefusesSettingsOutOfRange) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(message_of([] { optimizers::SGD({.learning_rate = -0.1}); }),
            "SGD: learning_rate must be a finite number >= 0, got -0.1");
  EXPECT_EQ(message_of([] { optimizers::SGD({.momentum = 1.5}); }), "SGD: momentum must lie in [0, 1], got 1.5");
  EXPECT_EQ(message_of([&] { optimizers::SGD({.momentum = nan}); }), "SGD: momentum must lie in [0, 1], got nan");
  EXPECT_EQ(message_of([] { optimizers::SGD({.weight_decay = -1}); }),
            "SGD: weight_decay must be a finite number >= 0, got -1");
  EXPECT_THROW(optimizers::SGD({.learning_rate = nan}), InvalidArgument);
}

TEST(SGD, NamesBothShapesOfAGradientThatDoesNotFit) {
  const auto sgd = optimizers::SGD().get();
  Tensor weight = at::zeros({3, 2});
  EXPECT_EQ(message_of([&] { sgd->update(weight, at::zeros({3}), {}, 0, kRate); }),
            "SGD: gradient and slots must have the parameter's size (3, 2), got (3,)");
  const auto with_momentum = optimizers::SGD({.momentum = 0.9}).get();
  EXPECT_THROW(with_momentum->update(weight, at::zeros({3, 2}), {}, 0, kRate), InternalError);
}

}  // namespace
}  // namespace tandem
