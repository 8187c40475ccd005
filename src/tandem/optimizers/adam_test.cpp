#include "tandem/optimizers/adam.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <limits>
#include <type_traits>

#include "tandem/optimizers/adamw.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using testing::message_of;

static_assert(std::is_aggregate_v<optimizers::AdamOptions> && std::is_aggregate_v<optimizers::AdamWOptions>);

TEST(Adam, PutsEpsilonBesideTheRootAndTheCorrectionIntoTheRate) {
  // With an epsilon this large its place shows: PyTorch's would give sqrt(v / (1 - beta_2^t)) + epsilon below.
  const double b1 = 0.8, b2 = 0.9, rate = 0.1, epsilon = 0.5, g = 2;
  const auto adam = optimizers::Adam({.beta_1 = b1, .beta_2 = b2, .epsilon = epsilon}).get();
  Tensor w = at::ones({1}, at::kDouble);
  std::vector<Tensor> slots{at::zeros({1}, at::kDouble), at::zeros({1}, at::kDouble)};
  double m = 0, v = 0, want = 1;
  for (int64_t step = 0; step < 3; ++step) {
    m = b1 * m + (1 - b1) * g;
    v = b2 * v + (1 - b2) * g * g;
    const double t = static_cast<double>(step + 1);
    want -= rate * std::sqrt(1 - std::pow(b2, t)) / (1 - std::pow(b1, t)) * m / (std::sqrt(v) + epsilon);
    adam->update(w, at::full({1}, g, at::kDouble), slots, step, rate);
    EXPECT_NEAR(w.item<double>(), want, 1e-14);
  }
}

TEST(Adam, NamesItsSlots) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(optimizers::Adam().get()->slots(), (Names{"momentum", "velocity"}));
  EXPECT_EQ(optimizers::AdamW({.amsgrad = true}).get()->slots(), (Names{"momentum", "velocity", "velocity_hat"}));
}

TEST(Adam, RefusesSettingsOutOfRangeInItsName) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(message_of([] { optimizers::Adam({.beta_1 = 1}); }), "Adam: beta_1 must lie in [0, 1), got 1");
  EXPECT_EQ(message_of([&] { optimizers::Adam({.beta_2 = nan}); }), "Adam: beta_2 must lie in [0, 1), got nan");
  EXPECT_EQ(message_of([] { optimizers::AdamW({.epsilon = -1}); }),
            "AdamW: epsilon must be a finite number >= 0, got -1");
  EXPECT_EQ(message_of([] { optimizers::AdamW({.weight_decay = -1}); }),
            "AdamW: weight_decay must be a finite number >= 0, got -1");
  EXPECT_EQ(message_of([] { optimizers::Adam({.clipnorm = 1, .clipvalue = 2}); }),
            "Adam: only one of clipnorm, clipvalue and global_clipnorm can be set, got clipnorm=1, clipvalue=2");
  EXPECT_EQ(message_of([] {
              Optimizer::make("AdamW", Config::object({{"weight_decay", Config()}}));
            }),
            "AdamW: weight_decay must be a number, got null");
}

}  // namespace
}  // namespace tandem
