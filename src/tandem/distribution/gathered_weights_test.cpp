#include "tandem/distribution/gathered_weights.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tandem/distribution/replica_shard.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/layers/lambda.h"
#include "tandem/network/chain.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/run_ranks.h"

namespace tandem::distribute {
namespace {

constexpr int64_t kUnits = 16, kBucket = kUnits * kUnits * 4;  // bytes of a layer

// Weights that `ranks` have in shards, one bucket a layer, and what reads them.
struct Sharded {
  Sharded(const Network& network, comm::Communicator& communicator, const Sharding& sharding, int64_t bucket_bytes)
      : flat(network.trainable_weights(), {}, c10::kCPU, sharding.memory()),
        buckets(make_buckets(flat, bucket_bytes)),
        shard(flat, sharding, communicator, buckets, c10::kCPU) {
    shard.load();
    flat.add_to(map);
  }
  int64_t bytes() {
    StorageBytes bytes;
    shard.gathered()->add_memory(bytes);
    return bytes.bytes();
  }

  FlatWeights flat;
  std::vector<GradientBucket> buckets;
  ReplicaShard shard;
  WeightMap map;
};

// `layers` Dense layers; behind each, in forward and in backward, `look` is called.
std::shared_ptr<Chain> watched_tower(int layers, const std::function<void()>& look) {
  auto chain = std::make_shared<Chain>();
  chain->add(layers::Input({kUnits}));
  for (int i = 0; i < layers; ++i) {
    chain->add(layers::Dense(kUnits, {.activation = "tanh", .use_bias = false}));
    chain->add(layers::Lambda([look](const Tensor& x) {
      const Tensor y = x * 1;
      look();
      if (y.requires_grad()) y.register_hook([look](const Tensor&) { look(); });
      return y;
    }));
  }
  return chain;
}

TEST(GatheredWeights, AreHereForTheLayerThatComputesAndTheNext) {
  constexpr int kLayers = 8;
  thread_local std::function<void()> look;
  const auto chain = watched_tower(kLayers, [] {
    if (look) look();
  });
  const Tensor x = at::randn({4, kUnits});
  std::vector<Tensor> want;
  {
    FlatWeights plain(chain->trainable_weights());
    plain.load();
    WeightMap map;
    plain.add_to(map);
    const WeightScope scope(map);
    chain->call_many(x, CallContext{}).front().square().sum().backward();
    for (int i = 0; i < kLayers; ++i) want.push_back(plain.value(static_cast<std::size_t>(i)).grad().clone());
  }
  for (const int64_t ranks : {1, 3}) {
    testing::run_ranks(ranks, [&](comm::Communicator& communicator) {
      Sharded sharded(*chain, communicator, {3, ranks}, kBucket);
      EXPECT_EQ(sharded.buckets.size(), static_cast<std::size_t>(kLayers));
      auto& gathered = *sharded.shard.gathered();
      CallTrace watch("", &gathered, false);
      int64_t looks = 0, most = 0;
      look = [&] {
        ++looks;
        most = std::max(most, sharded.bytes());
      };
      for (int step = 0; step < 3; ++step) {
        sharded.flat.zero_gradients();
        const WeightScope scope(sharded.map, &gathered);
        gathered.begin();
        gathered.backward({chain->call_many(x, CallContext{.trace = &watch}).front().square().sum()});
        EXPECT_EQ(sharded.bytes(), 0);
        gathered.end();
        for (std::size_t i = 0; i < want.size(); ++i)
          EXPECT_TRUE(at::allclose(sharded.flat.take_gradient(i), want[i], 1e-6, 1e-7)) << "weight " << i;
      }
      look = {};
      EXPECT_EQ(looks, 3 * 2 * kLayers);
      EXPECT_LE(most, 2 * kBucket + 16 * 4 * ranks);  // padding at the end
      EXPECT_GE(most, 2 * kBucket) << "the next one is on its way";
    });
  }
}

TEST(GatheredWeights, StayWhileSomebodyMayReadThem) {
  const auto chain = watched_tower(3, [] {});
  const auto weights = chain->trainable_weights();
  testing::run_ranks(2, [&](comm::Communicator& communicator) {
    Sharded sharded(*chain, communicator, {3, 2}, kBucket);
    auto& gathered = *sharded.shard.gathered();
    const WeightScope scope(sharded.map, &gathered);
    gathered.begin();
    const Tensor outside = weights[0].value();  // of no call: until the end of the step
    gathered.call_begins();
    const Tensor outer = weights[1].value();
    gathered.call_begins();
    const Tensor inner = weights[2].value();
    gathered.call_ends({inner});  // which is returned as it is
    for (std::size_t i = 0; i < 3; ++i) {
      const Tensor& own = i == 0 ? outside : i == 1 ? outer : inner;
      EXPECT_TRUE(at::equal(own, weights[i].variable().value)) << i;
    }
    gathered.call_ends({});
    (void)weights[0].value();
    EXPECT_TRUE(at::equal(inner, weights[2].variable().value));
    gathered.end();
    EXPECT_EQ(sharded.bytes(), 0);
  });
}

TEST(GatheredWeights, MustBeReadInOneOrder) {
  const auto chain = watched_tower(2, [] {});
  const auto weights = chain->trainable_weights();
  testing::run_ranks(2, [&](comm::Communicator& communicator) {
    Sharded sharded(*chain, communicator, {3, 2}, 2 * kBucket);
    auto& gathered = *sharded.shard.gathered();
    const WeightScope scope(sharded.map, &gathered);
    gathered.begin();
    (void)weights[0].value();
    gathered.end();
    gathered.begin();
    if (communicator.rank() == 0) gathered.begin_part(1);
    if (communicator.rank() == 0) (void)weights[1].value();
    communicator.rank() == 0 ? gathered.end_part() : gathered.follow_part(1);
    gathered.end();
  });
  const auto message = testing::message_of([&] {
    testing::run_ranks(3, [&](comm::Communicator& communicator) {
      Sharded sharded(*chain, communicator, {3, 3}, kBucket);
      auto& gathered = *sharded.shard.gathered();
      const WeightScope scope(sharded.map, &gathered);
      gathered.begin();
      if (communicator.rank() == 2) return gathered.follow_part(2);
      gathered.begin_part(2);
      (void)weights[static_cast<std::size_t>(communicator.rank())].value();
      gathered.end_part();
    });
  });
  EXPECT_NE(message.find("must read the model's weights in the same order"), std::string::npos) << message;
}

}  // namespace
}  // namespace tandem::distribute
