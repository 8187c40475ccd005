#include "tandem/distribution/stage_exchange.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/core/steady_seconds.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/network/chain.h"
#include "tandem/testing/run_ranks.h"

namespace tandem::distribute {
namespace {

constexpr int64_t kWidth = 64;
const std::vector<std::size_t> kLastFirst{3, 2, 1, 0};

std::shared_ptr<Chain> four_kernels() {
  auto chain = std::make_shared<Chain>();
  chain->add(layers::Input({kWidth}));
  for (int i = 0; i < 4; ++i) chain->add(layers::Dense(kWidth, {.use_bias = false}));
  return chain;
}

void backward_of(Network& network, double value) {
  const Tensor x = at::full({2, kWidth}, value);
  network.call_many(x, CallContext{}).front().sum().backward();
}

// Two micro batches of two replicas, the second one with `expected` or without. Checks sums and starts.
void exchange_step(bool expected) {
  const auto chain = four_kernels();
  testing::run_ranks(2, [&](comm::Communicator& communicator) {
    FlatWeights flat(chain->trainable_weights(), kLastFirst);
    flat.load();
    WeightMap map;
    flat.add_to(map);
    const WeightScope scope(map);
    StageExchange exchange(flat, {0, 0, 0, 0}, communicator, kWidth * kWidth * 4);
    const double own = 1 + static_cast<double>(communicator.rank());
    for (int step = 0; step < 2; ++step) {
      flat.zero_gradients();
      backward_of(*chain, own);
      exchange.backward_begins(0, expected);
      backward_of(*chain, 10 * own);
      const double backward_ended = steady_seconds();
      exchange.start(0);
      exchange.finish();
      ASSERT_EQ(exchange.ledger().exchanges.size(), 4U);
      for (const auto& bucket : exchange.ledger().exchanges)
        EXPECT_EQ(bucket.times.started < backward_ended, expected) << bucket.what;
    }
    const Tensor sums = flat.gradients().clone();
    flat.zero_gradients();
    backward_of(*chain, 33);  // gradients are proportional to what goes in: 1 + 10 + 2 + 20
    EXPECT_TRUE(at::allclose(sums, flat.gradients(), 1e-4, 1e-4));
  });
}

TEST(StageExchange, StartsWithinTheLastBackward) { exchange_step(true); }
TEST(StageExchange, StartsAtTheLatestWhenTheListSaysSo) { exchange_step(false); }

TEST(StageExchange, AChunkGoesBeforeTheOther) {
  const auto chain = four_kernels();
  testing::run_ranks(2, [&](comm::Communicator& communicator) {
    FlatWeights flat(chain->trainable_weights(), kLastFirst);
    StageExchange exchange(flat, {0, 0, 1, 1}, communicator, 2 * kWidth * kWidth * 4);
    flat.gradients().fill_(1);
    exchange.start(1);  // chunk 0 is still being computed
    const double between = steady_seconds();
    flat.view(flat.gradients(), 0).add_(1);
    exchange.finish();
    const auto& buckets = exchange.ledger().exchanges;
    ASSERT_EQ(buckets.size(), 2U);
    EXPECT_LT(buckets[0].times.started, between);
    EXPECT_GE(buckets[1].times.started, between);
    EXPECT_EQ(flat.view(flat.gradients(), 3).mean().item<float>(), 2);
    EXPECT_EQ(flat.view(flat.gradients(), 0).mean().item<float>(), 4);
  });
}

}  // namespace
}  // namespace tandem::distribute
