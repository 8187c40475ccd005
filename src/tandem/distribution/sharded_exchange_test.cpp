#include "tandem/distribution/sharded_exchange.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/layers/dense.h"
#include "tandem/testing/run_ranks.h"

namespace tandem::distribute {
namespace {

std::vector<Weight> weights_to_divide() {
  const layers::Dense dense(7), other(5);
  dense->ensure_built({Shape{Shape::kUnknown, 6}});
  other->ensure_built({Shape{Shape::kUnknown, 7}});
  auto weights = dense.weights();
  for (const auto& w : other.weights()) weights.push_back(w);
  return weights;
}

// The gradient of weight i is `factor` x (i + 1) everywhere.
void run_backward(const FlatWeights& flat, double factor) {
  Tensor loss = at::zeros({});
  for (std::size_t i = 0; i < flat.weights().size(); ++i)
    loss = loss + flat.value(i).sum() * (factor * static_cast<double>(i + 1));
  loss.backward();
}

TEST(ShardedExchange, GivesEachRankTheSumsOfItsShard) {
  const auto weights = weights_to_divide();
  for (const int64_t stage : {1, 2}) {
    testing::run_ranks(3, [&](comm::Communicator& communicator) {
      const Sharding sharding{stage, 3};
      FlatWeights flat(weights, {}, c10::kCPU, sharding.memory());
      const auto buckets = make_buckets(flat, 64);
      ReplicaShard shard(flat, sharding, communicator, buckets, c10::kCPU);
      ShardedExchange exchange(flat, shard, communicator, buckets, comm::Algorithm::automatic);
      EXPECT_EQ(exchange.each_step(), stage == 2);
      for (int step = 0; step < 3; ++step) {
        flat.zero_gradients();
        shard.zero_gradients();
        exchange.begin({});
        run_backward(flat, static_cast<double>(communicator.rank() + 1));  // 1 + 2 + 3 together
        exchange.finish([](std::size_t) {});
        for (std::size_t i = 0; i < weights.size(); ++i) {
          const Tensor part = shard.part(shard.gradients(), i);
          EXPECT_TRUE(at::equal(part, at::full_like(part, 6.0 * static_cast<double>(i + 1)))) << "weight " << i;
        }
      }
    });
  }
}

// Two stages of two ranks each: the norm over a stage's shards and over the other's.
TEST(ShardedExchange, NormsAreOverShardsAndOverThoseWhoHaveOtherWeights) {
  const auto weights = weights_to_divide();
  testing::run_ranks(4, [&](comm::Communicator& all) {
    const int64_t stage = all.rank() / 2, place = all.rank() % 2;
    const auto data = all.subgroup({2 * stage, 2 * stage + 1}), pipe = all.subgroup({place, place + 2});
    FlatWeights flat({weights.begin() + 2 * stage, weights.begin() + 2 * stage + 2}, {}, c10::kCPU,
                     Sharding{2, 2}.memory());
    const auto buckets = make_buckets(flat, 64);
    ReplicaShard shard(flat, {2, 2}, *data, buckets, c10::kCPU);
    ShardedExchange exchange(flat, shard, *data, buckets, comm::Algorithm::automatic);
    exchange.begin({});
    run_backward(flat, 0.5);
    exchange.finish([](std::size_t) {});
    GradientShards stages;
    stages.sum = [&pipe](double own) {
      Tensor sum = at::full({1}, own, at::kDouble);
      pipe->all_reduce(sum);
      return sum.item<double>();
    };
    // Gradients are 1 and 2: of 42 and 7 elements on the first stage, of 35 and 5 on the second.
    const double norm = std::sqrt(42 + 4 * 7 + 35 + 4 * 5);
    const GradientShards sums = shard.sums(&stages);
    clip_gradients(shard.gradients(), shard.layout().parts(), {.global_clipnorm = 0.5}, &sums);
    for (std::size_t i = 0; i < 2; ++i) {
      const Tensor part = shard.part(shard.gradients(), i);
      EXPECT_TRUE(at::allclose(part, at::full_like(part, 0.5 * static_cast<double>(i + 1) / norm)));
    }
  });
}

}  // namespace
}  // namespace tandem::distribute
