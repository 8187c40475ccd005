// Every strategy of the catalog gives what one device gives.
#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>
#include <gtest/gtest.h>

#include "tandem/core/random.h"
#include "tandem/distribution/mesh.h"
#include "tandem/layers/activation.h"
#include "tandem/layers/add.h"
#include "tandem/layers/batch_normalization.h"
#include "tandem/layers/conv2d.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/dropout.h"
#include "tandem/layers/embedding.h"
#include "tandem/layers/flatten.h"
#include "tandem/layers/input.h"
#include "tandem/layers/regularizers.h"
#include "tandem/model/parity_case_test.h"
#include "tandem/optimizers/adam.h"
#include "tandem/optimizers/sgd.h"

namespace tandem {
namespace {

using namespace layers;
using parity::normal;
using parity::one_hot;

// `placed`: the second half of each model has a device of its own.
std::vector<std::pair<std::string, parity::Task>> tasks(bool placed) {
  const auto second_half = [placed] { return placed ? std::make_unique<DeviceScope>("cpu:1") : nullptr; };
  const auto mlp = [second_half] {
    const auto x = Input({6});
    const auto y = Dense(8, {.activation = "relu", .kernel_regularizer = regularizers::L2(0.01)})(x);
    const auto scope = second_half();
    return Model(x, Dense(3, {.activation = "softmax"})(Dropout(0.3)(y)));
  };
  const auto cnn = [second_half] {
    const auto x = Input({6, 6, 2});
    const auto y = Activation("relu")(
        BatchNormalization({.synchronized = true})(Conv2D(4, {3, 3}, {.padding = "same", .use_bias = false})(x)));
    const auto scope = second_half();
    const auto z = Add()({y, Conv2D(4, {3, 3}, {.padding = "same"})(y)});
    return Model(x, Dense(2)(Flatten()(z)));
  };
  const auto lookup = [second_half] {
    const auto x = Input({4});
    const auto y = Flatten()(Embedding(7, 3)(x));
    const auto scope = second_half();
    return Model(x, Dense(2)(y));
  };
  return {{"dropout, regularizer, short last batch",
           {mlp,
            {.optimizer = optimizers::SGD({.learning_rate = 0.1, .momentum = 0.9}),
             .loss = "categorical_crossentropy",
             .metrics = {"accuracy"}},
            normal({25, 6}, 1),
            one_hot(25, 3, 2),
            {.batch_size = 8, .epochs = 2}}},
          {"convolutions, a skip, synchronized statistics, sample weights",
           {cnn,
            {.optimizer = optimizers::Adam({.learning_rate = 0.01, .clipnorm = 1.0}), .loss = "mse"},
            normal({13, 6, 6, 2}, 3),
            normal({13, 2}, 4),
            {.batch_size = 5, .epochs = 2, .sample_weight = RandomStream(5).uniform({13})}}},
          {"fewer rows than devices",
           {lookup,
            {.optimizer = optimizers::SGD({.learning_rate = 0.1}), .loss = "mse"},
            (RandomStream(6).uniform({3, 4}) * 7).floor(),
            normal({3, 2}, 7),
            {.batch_size = 2, .epochs = 2}}}};
}

// Products of data, pipe and tensor, and with ZeRO, on 4 and 8 devices.
void expect_products_as(const parity::Result& one, const parity::Task& task, bool synchronized) {
  struct Product {
    int64_t data, pipe, tensor, zero;
  };
  for (const auto& [data, pipe, tensor, zero] :
       {Product{2, 2, 1, 0}, Product{1, 2, 2, 0}, Product{2, 2, 2, 0}, Product{4, 1, 2, 0}, Product{2, 1, 2, 1},
        Product{2, 1, 2, 2}, Product{2, 1, 2, 3}, Product{4, 1, 2, 3}, Product{4, 1, 1, 2}, Product{2, 2, 1, 1},
        Product{2, 2, 1, 2}, Product{2, 2, 1, 3}, Product{2, 2, 2, 1}, Product{2, 2, 2, 2}, Product{2, 2, 2, 3}}) {
    if (pipe > 1 && synchronized) continue;  // refused: Pipeline.RefusesWhatCannotBeStaged
    SCOPED_TRACE(c10::str("data ", data, " pipe ", pipe, " tensor ", tensor, " zero ", zero));
    const auto strategy = distribute::Mesh({.devices = Devices::parse(c10::str("cpu*", data * pipe * tensor)),
                                            .data = data,
                                            .pipe = pipe,
                                            .tensor = tensor,
                                            .micro_batches = 2,
                                            .zero = zero,
                                            .threads_per_device = 1});
    parity::expect_same(parity::train(task, strategy), one);
  }
}

class StrategyParity : public ::testing::TestWithParam<std::string> {};

TEST_P(StrategyParity, GivesWhatOneDeviceGives) {
  // By strategy: the devices to name. As placed the model names them itself.
  std::vector<std::string> devices{"cpu:0", "cpu*2", "cpu*4"};
  const bool placed = GetParam() == "as-placed";
  if (placed) devices = {""};
  if (GetParam() == "single") devices = {"cpu:0"};
  const bool staged = GetParam() == "pipeline";
  if (staged) devices = {"cpu:0", "cpu*2", "cpu*3"};  // as many as the smallest model has layers
  const auto plain = tasks(false), own = tasks(placed);
  for (std::size_t i = 0; i < own.size(); ++i) {
    SCOPED_TRACE(own[i].first);
    const bool synchronized = own[i].first.find("synchronized") != std::string::npos;
    if (staged && synchronized) continue;  // refused: Pipeline.RefusesWhatCannotBeStaged
    const auto one = parity::train(plain[i].second, 1);
    for (const auto& list : devices) {
      SCOPED_TRACE(list);
      const auto strategy =
          distribute::make_strategy(GetParam(), {.devices = list.empty() ? Devices() : Devices::parse(list),
                                                 .threads_per_device = 1,
                                                 .mesh_tensor = list == "cpu:0" ? 1 : 2});
      parity::expect_same(parity::train(own[i].second, strategy), one);
    }
    if (GetParam() == "mesh") expect_products_as(one, own[i].second, synchronized);
  }
}

std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Catalog, StrategyParity, ::testing::ValuesIn(distribute::strategy_names()), test_name);

}  // namespace
}  // namespace tandem
