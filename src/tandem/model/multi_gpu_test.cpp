#include "tandem/model/multi_gpu.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/testing/captured_log.h"
#include "tandem/testing/closeness.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/npy.h"

namespace tandem {
namespace {

using testing::difference;
using testing::message_of;

Model one_dense() { return Sequential({layers::Input({3}), layers::Dense(1)}, "template"); }

TEST(MultiGpuModel, SaysWhatIsVisible) {  // U09
  const Model model = one_dense();
  EXPECT_EQ(message_of([&] { multi_gpu_model(model, 0); }), "multi_gpu_model: must get at least 1 GPU, got 0");
  EXPECT_EQ(message_of([&] { multi_gpu_model(model, Devices{}); }),
            "multi_gpu_model: must get at least one device, got none");
  const int64_t too_many = visible_gpus() + 2;
  const auto message = message_of([&] { multi_gpu_model(model, too_many); });
  EXPECT_NE(message.find(std::to_string(too_many) + " GPUs requested, " + std::to_string(visible_gpus()) + " visible"),
            std::string::npos)
      << message;
}

TEST(MultiGpuModel, OneIsTheModelItself) {
  const Model model = one_dense();
  const testing::CapturedLog log;
  EXPECT_TRUE(multi_gpu_model(model, 1) == model);
  EXPECT_EQ(log.infos(), std::vector<std::string>{"multi_gpu_model: 1 device asked for, 'template' stays as it is"});
}

// What ids become, here two GPUs more than there are; core/device_test.cpp has the checks for machines with some (U09).
TEST(MultiGpuModel, IdsAreOfVisibleGpusInAnyOrder) {
  const Model model = one_dense();
  const int64_t n = visible_gpus();
  const auto refused = message_of([&] { multi_gpu_model(model, {n + 1, n}); });
  EXPECT_EQ(refused.find("devices gpu:" + std::to_string(n + 1) + ",gpu:" + std::to_string(n) + ": "), 0U) << refused;
  EXPECT_NE(refused.find("2 GPUs requested, " + std::to_string(n) + " visible"), std::string::npos) << refused;
  EXPECT_EQ(message_of([&] { multi_gpu_model(model, std::vector<int64_t>{n + 1, n}); }), refused);
  const auto one = message_of([&] { multi_gpu_model(model, {n}); });
  EXPECT_NE(one.find("1 GPU requested"), std::string::npos) << "an id, not a number: " << one;
}

TEST(MultiGpuModel, NothingNamedMeansAllThatAreVisible) {
  const Model model = one_dense();
  const auto count = static_cast<std::size_t>(visible_gpus());
  if (count == 0) {
    const std::string text = "multi_gpu_model: no GPU is visible; name devices, as in Devices{\"cpu:0\", \"cpu:1\"}";
    EXPECT_EQ(message_of([&] { multi_gpu_model(model); }), text);
    EXPECT_EQ(message_of([&] { multi_gpu_model(model, {.cpu_merge = false}); }), text);
  } else {
    EXPECT_EQ(multi_gpu_model(model).placement().replicas.size(), count);
    EXPECT_EQ(multi_gpu_model(model, {.cpu_merge = false}).placement().replicas.size(), count);
  }
}

TEST(MultiGpuModel, DevicesAreOfOneKindAndNamedOnce) {
  const Model model = one_dense();
  EXPECT_EQ(message_of([&] {
              multi_gpu_model(model, Devices{"cpu:0", "cpu:1", "cpu:0"});
            }),
            "devices cpu:0,cpu:1,cpu:0: cpu:0 is named 2 times, at most 1 allowed");
  EXPECT_EQ(message_of([&] {
              multi_gpu_model(model, Devices{"cpu:0", "gpu:0"});
            }),
            "multi_gpu_model: devices must be of one kind, CPUs or GPUs, got cpu:0,gpu:0");
}

// Two inputs and two outputs that Keras's model has in objects by name; numbers are Keras's.
TEST(MultiGpuModel, InputsAndOutputsByName) {  // U12
  const auto file = [](const std::string& name) { return testing::fixture("keras/networks/by_name/" + name); };
  std::ifstream in(file("config.json"));
  const Model model = model_from_json(std::string(std::istreambuf_iterator<char>(in), {}));
  std::vector<Tensor> weights;
  for (std::size_t i = 0; i < model.get_weights().size(); ++i)
    weights.push_back(testing::load_npy(file("weight" + std::to_string(i) + ".npy")));
  Model(model).set_weights(weights);
  Model parallel = multi_gpu_model(model, Devices{"cpu:0", "cpu:1"});
  const Tensors x{testing::load_npy(file("x0.npy")), testing::load_npy(file("x1.npy"))};
  ASSERT_GT(x[0].size(0), 1);
  const Tensors got = parallel.predict_all(x);
  ASSERT_EQ(got.size(), 2);
  for (int64_t i = 0; i < 2; ++i)
    EXPECT_EQ(difference(got[i], testing::load_npy(file("output" + std::to_string(i) + ".npy")), 1e-5), "") << i;
  EXPECT_EQ(parallel.to_json(), model.to_json());
}

// One input used by a model within the model, three outputs of which one is an input's own.
TEST(MultiGpuModel, NestedModelsWithSeveralInputsAndOutputs) {  // U12
  const auto a = layers::Input({2}), b = layers::Input({3});
  const auto both = Model({a, b}, {layers::Dense(2)(a), layers::Dense(4, {.activation = "tanh"})(b)}, "inner");
  const auto p = layers::Input({3}), q = layers::Input({2});
  const auto left = layers::Dense(2)(p);
  const Model inner_of(KerasTensors{p, q}, KerasTensors{left, layers::Dense(1)(q), layers::Dense(2)(left)}, "outer");
  for (const Model& model : {both, inner_of}) {
    Model plain = model, parallel = multi_gpu_model(model, Devices{"cpu:0", "cpu:1", "cpu:2"});
    const bool first = model == both;
    const Tensors x{at::arange(first ? 10 : 15, at::kFloat).view({5, -1}).sin(),
                    at::arange(first ? 15 : 10, at::kFloat).view({5, -1}).cos()};
    const Tensors got = parallel.predict_all(x), want = plain.predict_all(x);
    ASSERT_EQ(got.size(), want.size());
    for (int64_t i = 0; i < want.size(); ++i) EXPECT_EQ(difference(got[i], want[i], 1e-6), "") << model.name() << i;
  }
}

}  // namespace
}  // namespace tandem
