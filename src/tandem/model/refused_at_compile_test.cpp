// What cannot be split or staged is refused by compile, before there is data.
#include <gtest/gtest.h>

#include "tandem/distribution/mesh.h"
#include "tandem/distribution/pipeline_parallel.h"
#include "tandem/distribution/tensor_parallel.h"
#include "tandem/layers/batch_normalization.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/layers/keras_tensor.h"
#include "tandem/layers/layer_normalization.h"
#include "tandem/losses/dice.h"
#include "tandem/model/parity_case_test.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using namespace layers;
using namespace distribute;
using parity::normal;

std::string refused(Model model, const Strategy& strategy, const LossArgument& loss = "mse",
                    const char* optimizer = "sgd") {
  return testing::message_of([&] { model.compile({.optimizer = optimizer, .loss = loss, .strategy = strategy}); });
}

Devices on(int64_t n) { return Devices::parse("cpu*" + std::to_string(n)); }

Model three_layers() {
  return Sequential({Input({6}), Dense(8, {.name = "a"}), Dense(8, {.name = "b"}), Dense(3, {.name = "c"})}, "net");
}

struct NoGraph : SubclassedModel {
  Dense dense = track("dense", Dense(3));
  Tensor call(const Tensor& x, const CallContext& context) override { return dense(x, context); }
};

TEST(RefusedAtCompile, DivisionsIntoStages) {
  const auto at = [](std::vector<std::string> boundaries, int64_t stages = 2) {
    return PipelineParallel({.devices = on(stages), .boundaries = std::move(boundaries)});
  };
  EXPECT_EQ(refused(three_layers(), at({"other"})),
            "PipelineParallel: boundaries name layer 'other', which the model has not");
  EXPECT_EQ(refused(three_layers(), at({"b", "a"}, 3)),
            "PipelineParallel: boundaries must be in the order of the layers and leave each part one, but 'a' leaves "
            "none");
  EXPECT_EQ(refused(three_layers(), at({}, 4)),
            "PipelineParallel: a model of 3 layers must have no more parts than that, got 4");
  EXPECT_NE(
      refused(three_layers(), Mesh({.devices = on(8), .pipe = 4, .tensor = 2})).find("no more parts than that, got 4"),
      std::string::npos);
  EXPECT_NE(refused(three_layers(), Mesh({.devices = on(4), .pipe = 4})).find("no more parts than that, got 4"),
            std::string::npos);
  const auto x = Input({6});
  const BatchNormalization twice({.name = "twice"});
  const auto middle = Dense(6, {.name = "end"})(twice(x));
  EXPECT_EQ(refused(Model(x, Dense(3)(twice(middle)), "net"), at({"end"})),
            "PipelineParallel: model 'net': must call layer 'twice' (BatchNormalization) on one stage, since it has "
            "statistics: 'moving_mean'");
  const auto placed = [] {
    Sequential model({Input({6})});
    for (int64_t i = 0; i < 3; ++i) {
      const DeviceScope scope("cpu:" + std::to_string(i));
      model.add(Dense(6));
    }
    return model;
  };
  EXPECT_EQ(refused(placed(), at({})),
            "PipelineParallel: device scopes must name a device for each of the 2 parts, got 3");
}

TEST(RefusedAtCompile, LossesAndOptimizers) {
  for (const Strategy& strategy :
       {Strategy(PipelineParallel({.devices = on(2)})), Strategy(Mesh({.devices = on(4), .pipe = 2, .tensor = 2}))}) {
    EXPECT_NE(
        refused(three_layers(), strategy, losses::Dice()).find(": loss Dice must not need the whole batch at once"),
        std::string::npos);
  }
  EXPECT_EQ(refused(three_layers(), TensorParallel({.devices = on(2)}), "mse", "lamb"),
            "TensorParallel: optimizer Lamb must not be used, since it needs each weight whole");
  EXPECT_EQ(refused(three_layers(), Mesh({.devices = on(2), .data = 2, .zero = 1}), "mse", "adafactor"),
            "Mesh: optimizer Adafactor must not be used, since it needs each weight whole");
  EXPECT_EQ(refused(three_layers(), Mesh({.devices = on(2), .data = 2}), "mse", "adafactor"), "nothing was thrown");
}

TEST(RefusedAtCompile, ModelsThatAreNoGraphs) {
  for (const Strategy& strategy :
       {Strategy(PipelineParallel({.devices = on(2)})), Strategy(TensorParallel({.devices = on(2)})),
        Strategy(Mesh({.devices = on(4), .pipe = 2, .tensor = 2}))})
    EXPECT_NE(refused(make_model<NoGraph>(), strategy).find("must be functional or Sequential, so that "),
              std::string::npos);
  // One that learns its inputs from the data is built then.
  Sequential later({Dense(8), Dense(3)});
  later.compile({.loss = "mse", .strategy = PipelineParallel({.devices = on(2)})});
  later.fit(normal({4, 6}, 1), normal({4, 3}, 2), {.verbose = 0});
}

TEST(RefusedAtCompile, NothingToSplit) {
  EXPECT_EQ(refused(Sequential({Input({6}), LayerNormalization({.name = "norm"}), Dense(1, {.name = "out"})}, "narrow"),
                    TensorParallel({.devices = on(2)})),
            "TensorParallel: model 'narrow' must have a layer that can be split over 2 devices: 'norm' "
            "(LayerNormalization) its input is whole, 'out' (Dense) has 1 units");
}

}  // namespace
}  // namespace tandem
