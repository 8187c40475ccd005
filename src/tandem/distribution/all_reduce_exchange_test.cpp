#include "tandem/distribution/all_reduce_exchange.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/distribution/gradient_order.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/network/chain.h"
#include "tandem/testing/run_ranks.h"

namespace tandem::distribute {
namespace {

// `layers` Dense layers of `units` units after one another; each kernel has units x units elements.
std::shared_ptr<Chain> tower(int layers, int64_t units) {
  auto chain = std::make_shared<Chain>();
  chain->add(layers::Input({units}));
  for (int i = 0; i < layers; ++i) chain->add(layers::Dense(units, {.use_bias = false}));
  return chain;
}

TEST(GradientOrder, TheLastLayersGradientsComeFirst) {
  const auto chain = tower(4, 3);
  EXPECT_EQ(gradient_order(*chain, chain->trainable_weights()), (std::vector<std::size_t>{3, 2, 1, 0}));
}

TEST(GradientBuckets, AreCutAtTheirSizeInTheOrderOfMemory) {
  const auto chain = tower(4, 16);  // kernels of 1 KB
  const FlatWeights flat(chain->trainable_weights(), {3, 2, 1, 0});
  const auto buckets = make_buckets(flat, 2048);
  ASSERT_EQ(buckets.size(), 2U);
  EXPECT_EQ(buckets[0].weights, (std::vector<std::size_t>{3, 2}));
  EXPECT_EQ(buckets[1].weights, (std::vector<std::size_t>{1, 0}));
  EXPECT_EQ(buckets[0].begin, 0);
  EXPECT_EQ(buckets[0].end, buckets[1].begin);
  EXPECT_EQ(buckets[1].end, 4 * 256);
  EXPECT_EQ(make_buckets(flat, 1).size(), 4U) << "a weight that is larger has a bucket of its own";
}

// Runs one backward on 2 ranks, rank r on inputs of r + 1, and returns the ledgers and summed gradients by rank.
struct Run {
  std::vector<StepLedger> ledgers;
  std::vector<Tensor> gradients;
  std::vector<int64_t> collectives;
};
Run exchange_on_two_ranks(Network& network, int64_t most_bytes, int64_t width) {
  Run run{std::vector<StepLedger>(2), std::vector<Tensor>(2), std::vector<int64_t>(2)};
  testing::run_ranks(2, [&](comm::Communicator& communicator) {
    const auto r = static_cast<std::size_t>(communicator.rank());
    FlatWeights flat(network.trainable_weights(), gradient_order(network, network.trainable_weights()));
    flat.load();
    WeightMap map;
    flat.add_to(map);
    AllReduceExchange exchange(flat, communicator, make_buckets(flat, most_bytes), comm::Algorithm::automatic, true);
    const WeightScope scope(map);
    for (int step = 0; step < 3; ++step) {
      flat.zero_gradients();
      exchange.begin({});
      const Tensor y = network.call_many(at::full({4, width}, static_cast<double>(r) + 1), CallContext{}).front();
      y.sum().backward();
      exchange.finish([&](std::size_t) {});
    }
    run.ledgers[r] = exchange.ledger();
    run.gradients[r] = flat.gradients().clone();
    run.collectives[r] = static_cast<int64_t>(exchange.buckets().size());
  });
  return run;
}

TEST(AllReduceExchange, FirstBucketTravelsBeforeTheLastLayersBackwardEnds) {
  const auto chain = tower(6, 128);
  const auto run = exchange_on_two_ranks(*chain, 128 * 128 * 4, 128);
  for (const auto& ledger : run.ledgers) {
    ASSERT_EQ(ledger.exchanges.size(), 6U);
    EXPECT_LT(ledger.backward_began, ledger.exchanges[0].times.started);
    EXPECT_LT(ledger.exchanges[0].times.started, ledger.last_gradient);
    EXPECT_LE(ledger.last_gradient, ledger.backward_ended);
    for (std::size_t b = 1; b < 6; ++b) {
      EXPECT_LE(ledger.exchanges[b - 1].times.started, ledger.exchanges[b].times.started);
      EXPECT_LE(ledger.exchanges[b].times.started, ledger.exchanges[b].times.finished);
      EXPECT_LE(ledger.exchanges[b].times.finished, ledger.exchanges[b].updated);
    }
  }
}

TEST(AllReduceExchange, BucketsGiveTheSumsOfSingleTensorsToTheBit) {  // U96: 200 tensors of 1 KB, buckets of 1 MB
  const auto chain = tower(200, 16);
  const auto together = exchange_on_two_ranks(*chain, 1 << 20, 16), apart = exchange_on_two_ranks(*chain, 1, 16);
  EXPECT_EQ(together.collectives[0], 1);
  EXPECT_EQ(apart.collectives[0], 200);
  EXPECT_TRUE(at::equal(together.gradients[0], apart.gradients[0]));
  EXPECT_TRUE(at::equal(together.gradients[0], together.gradients[1]));
}

TEST(AllReduceExchange, WeightsWithoutAGradientTravelAsZeros) {
  const layers::Dense used(2), unused(2);
  used->ensure_built({Shape{Shape::kUnknown, 2}});
  unused->ensure_built({Shape{Shape::kUnknown, 2}});
  auto weights = used.weights();
  for (const auto& w : unused.weights()) weights.push_back(w);
  testing::run_ranks(2, [&](comm::Communicator& communicator) {
    FlatWeights flat(weights);
    flat.load();
    WeightMap map;
    flat.add_to(map);
    const WeightScope scope(map);
    AllReduceExchange exchange(flat, communicator, make_buckets(flat, 16), comm::Algorithm::automatic, true);
    exchange.begin({});
    const Tensor y = used.weights()[1].value().sum();  // the bias alone; on rank 1 nothing at all
    if (communicator.rank() == 0) y.backward();
    exchange.finish([](std::size_t) {});
    EXPECT_EQ(flat.gradients().sum().item<float>(), 2);
    EXPECT_TRUE(at::equal(flat.view(flat.gradients(), 1), at::ones({2})));
  });
}

}  // namespace
}  // namespace tandem::distribute
