// What placement() says.
#include <gtest/gtest.h>

#include "tandem/distribution/mirrored.h"
#include "tandem/distribution/single_device.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/model/multi_gpu.h"

namespace tandem {
namespace {

using layers::Dense;
using layers::Input;

Model made_on(const char* device) {
  const DeviceScope scope(device);
  return Sequential({Input({3}), Dense(2), Dense(1)}, "net");
}

const Devices kTwo{"cpu:2", "cpu:1"};

std::string places(const Model& model) { return model.placement().to_string(); }

TEST(ModelPlacement, OfPlainModels) {
  Sequential model({Input({3}), Dense(1)});
  const std::string first = visible_gpus() > 0 ? "gpu:0" : "cpu:0";
  EXPECT_EQ(places(model), "weights: cpu; replicas: " + first + "; outputs: " + first);
  model.compile({.optimizer = "sgd", .loss = "mse", .strategy = distribute::SingleDevice("cpu:3")});
  EXPECT_EQ(places(model), "weights: cpu; replicas: cpu:3; outputs: cpu:3");
  model.compile({.optimizer = "sgd", .loss = "mse", .strategy = distribute::Mirrored({.devices = kTwo})});
  EXPECT_EQ(model.placement(), (Placement{{"cpu"}, {"cpu:2", "cpu:1"}, "cpu"}));
}

TEST(ModelPlacement, AScopeAroundTheModelHoldsTheMasters) {
  EXPECT_EQ(places(multi_gpu_model(made_on("cpu:1"), kTwo)), "weights: cpu:1; replicas: cpu:2, cpu:1; outputs: cpu");
}

TEST(ModelPlacement, RelocationAndMergeChangeIt) {
  const Model model = made_on("cpu:1");
  const auto with = [&](bool merge, bool relocation) {
    return places(multi_gpu_model(model, kTwo, {.cpu_merge = merge, .cpu_relocation = relocation}));
  };
  EXPECT_EQ(with(true, false), "weights: cpu:1; replicas: cpu:2, cpu:1; outputs: cpu");
  EXPECT_EQ(with(true, true), "weights: cpu; replicas: cpu:2, cpu:1; outputs: cpu");
  EXPECT_EQ(with(false, false), "weights: cpu:1; replicas: cpu:2, cpu:1; outputs: cpu:2");
  EXPECT_EQ(with(false, true), "weights: cpu; replicas: cpu:2, cpu:1; outputs: cpu:2");
}

TEST(ModelPlacement, CompilingAParallelModelKeepsIt) {
  Model parallel = multi_gpu_model(made_on("cpu:1"), kTwo, {.cpu_merge = false});
  const auto before = parallel.placement();
  parallel.compile({.optimizer = "sgd", .loss = "mse"});
  EXPECT_EQ(parallel.placement(), before);
}

TEST(ModelPlacement, TheInnerScopeWins) {
  const auto x = Input({3});
  KerasTensor y;
  {
    const DeviceScope outer("cpu:0");
    const Model inner = made_on("cpu:4");
    y = Dense(2)(inner(x));
  }
  const Model model(x, Dense(1)(y));
  EXPECT_EQ(multi_gpu_model(model, kTwo).placement().weights, (std::vector<std::string>{"cpu:4", "cpu:0", "cpu"}));
}

// Masters are in host memory here, whatever a scope may wish.
TEST(ModelPlacement, AGpuScopeIsNotBelievedWithoutItsMemory) {
  EXPECT_EQ(multi_gpu_model(made_on("gpu:0"), kTwo).placement().weights, std::vector<std::string>{"cpu"});
}

}  // namespace
}  // namespace tandem
