#include "tandem/optimizers/rmsprop.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <type_traits>

#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using testing::message_of;

static_assert(std::is_aggregate_v<optimizers::RMSpropOptions>);

TEST(RMSprop, PutsEpsilonUnderTheRoot) {
  const double rho = 0.8, momentum = 0.5, rate = 0.1, epsilon = 0.5, g = 2;
  const auto rmsprop = optimizers::RMSprop({.rho = rho, .momentum = momentum, .epsilon = epsilon}).get();
  Tensor w = at::ones({1}, at::kDouble);
  std::vector<Tensor> slots{at::zeros({1}, at::kDouble), at::zeros({1}, at::kDouble)};
  double v = 0, m = 0, want = 1;
  for (int64_t step = 0; step < 3; ++step) {
    v = rho * v + (1 - rho) * g * g;
    m = momentum * m + rate * g / std::sqrt(v + epsilon);
    want -= m;
    rmsprop->update(w, at::full({1}, g, at::kDouble), slots, step, rate);
    EXPECT_NEAR(w.item<double>(), want, 1e-14);
  }
}

// The gradient's variance is 0 then, and its float32 value a small number of either sign.
TEST(RMSprop, CenteredStaysFiniteUnderGradientsThatDoNotChange) {
  const auto rmsprop = optimizers::RMSprop({.centered = true}).get();
  for (const bool flat : {true, false}) {
    const auto column = [&](const Tensor& t) { return flat ? t.select(1, 0).contiguous() : t.select(1, 0); };
    Tensor w = column(at::ones({300, 2}));
    std::vector<Tensor> slots{column(at::zeros({300, 2})), column(at::zeros({300, 2}))};
    const Tensor gradient = at::linspace(50, 150, 300);
    for (int64_t step = 0; step < 400; ++step) rmsprop->update(w, gradient, slots, step, 1e-6);
    EXPECT_TRUE(w.isfinite().all().item<bool>()) << flat;
    EXPECT_TRUE((w < 1).all().item<bool>()) << flat;
  }
}

TEST(RMSprop, NamesItsSlots) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(optimizers::RMSprop().get()->slots(), Names{"velocity"});
  EXPECT_EQ(optimizers::RMSprop({.centered = true}).get()->slots(), (Names{"velocity", "average_gradient"}));
  EXPECT_EQ(optimizers::RMSprop({.momentum = 0.9, .centered = true}).get()->slots(),
            (Names{"velocity", "momentum", "average_gradient"}));
}

TEST(RMSprop, RefusesSettingsOutOfRange) {
  EXPECT_EQ(message_of([] { optimizers::RMSprop({.rho = 1.5}); }), "RMSprop: rho must lie in [0, 1], got 1.5");
  EXPECT_EQ(message_of([] { optimizers::RMSprop({.momentum = -1}); }), "RMSprop: momentum must lie in [0, 1], got -1");
  EXPECT_EQ(message_of([] { optimizers::RMSprop({.epsilon = -1}); }),
            "RMSprop: epsilon must be a finite number >= 0, got -1");
}

}  // namespace
}  // namespace tandem
