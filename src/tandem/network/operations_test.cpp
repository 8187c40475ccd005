// Operations between layers and calls with arguments, against real Keras (tests/fixtures/operation_cases.py).
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tandem/core/error.h"
#include "tandem/core/random.h"
#include "tandem/layers/attention.h"
#include "tandem/layers/call_arguments.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/layers/lambda.h"
#include "tandem/layers/multi_head_attention.h"
#include "tandem/layers/ops.h"
#include "tandem/network/clone.h"
#include "tandem/network/graph.h"
#include "tandem/network/network_config.h"
#include "tandem/testing/closeness.h"
#include "tandem/testing/config_difference.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/npy.h"

namespace tandem {
namespace {

using layers::Dense;
using layers::Input;

std::string whole_text(const std::string& file) {
  std::ifstream in(file);
  EXPECT_TRUE(in.good()) << file;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

std::vector<Tensor> arrays_of(const std::string& folder, const std::string& prefix) {
  std::vector<Tensor> found;
  for (;;) {
    const auto file = folder + "/" + prefix + std::to_string(found.size()) + ".npy";
    if (!std::filesystem::exists(file)) return found;
    found.push_back(testing::load_npy(file));
  }
}

// Numbers by themselves are arrays of one in the files.
void set_weights_of(Network& network, const std::string& folder) {
  auto values = arrays_of(folder, "weight");
  const auto weights = network.weights();
  ASSERT_EQ(values.size(), weights.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = values[i].view(weights[i].shape().sizes());
  network.set_weights(values);
}

TEST(Operations, ComputeAndAreWrittenAsInKeras) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(testing::fixture("keras/operations"))) {
    const std::string folder = entry.path(), name = entry.path().filename();
    const auto text = whole_text(folder + "/config.json");
    const auto network = network_from_json(text);
    EXPECT_EQ(testing::config_difference(Config::from_json(network_to_json(*network)), Config::from_json(text)), "")
        << name;
    const auto copy = clone_network(*network);
    for (const auto& computed : {network, copy}) {
      set_weights_of(*computed, folder);
      const auto wanted = arrays_of(folder, "output");
      const Tensors got = computed->call_many(arrays_of(folder, "x"), {});
      ASSERT_EQ(got.size(), static_cast<int64_t>(wanted.size())) << name;
      const Shapes shapes = computed->output_shapes(computed->input_shapes());
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        EXPECT_EQ(testing::difference(got[static_cast<int64_t>(i)], wanted[i], 1e-5), "") << name << ", output " << i;
        EXPECT_TRUE(shapes[i].matches(Shape::of(wanted[i].sizes().vec()))) << name << ", output " << i;
      }
    }
    ++count;
  }
  EXPECT_EQ(count, 11);
}

TEST(Operations, OperatorsOfAProgram) {
  const KerasTensor x = Input({3}), y = Input({3});
  const KerasTensor mixed = 2 * x + y / 4 - 1.5;
  const Graph graph({x, y}, {mixed, -mixed, 1 - ops::power(x, 2), ops::mean(x * y, -1, true), (x < y) * 3});
  const Tensor a = RandomStream(1).normal({4, 3}), b = RandomStream(2).normal({4, 3});
  const Tensors out = const_cast<Graph&>(graph).call_many({a, b}, {});
  const Tensor want = a * 2 + b / 4 - 1.5;
  EXPECT_TRUE(at::allclose(out[0], want));
  EXPECT_TRUE(at::allclose(out[1], -want));
  EXPECT_TRUE(at::allclose(out[2], 1 - a * a));
  EXPECT_TRUE(at::allclose(out[3], (a * b).mean(1, true)));
  EXPECT_TRUE(at::equal(out[4], a.lt(b) * 3));
  EXPECT_EQ(mixed.shape(), (Shape{-1, 3}));
  EXPECT_EQ(ops::concatenate({x, y}, -1).shape(), (Shape{-1, 6}));
}

TEST(Operations, AModelOfThemIsReadAgain) {
  const KerasTensor x = Input({5, 3});
  const KerasTensor attended = layers::MultiHeadAttention(2, 2)({x, x});
  EXPECT_EQ(attended.node()->arguments->args.size(), 2U) << "query and value by themselves, as in Keras";
  const Graph graph(x, Dense(2)(attended) * 0.5 + 1);
  const auto again = network_from_json(network_to_json(graph));
  again->set_weights(graph.get_weights());
  const Tensor a = RandomStream(1).normal({4, 5, 3});
  EXPECT_TRUE(at::equal(again->call_many(a, {})[0], const_cast<Graph&>(graph).call_many(a, {})[0]));
}

TEST(Operations, RefuseWhatCannotWork) {
  const auto refused = [](const std::function<void()>& act) { return testing::message_of<InvalidArgument>(act); };
  EXPECT_NE(refused([] { Input({3}) + Input({4}); }).find("(2, 3), (2, 4)"), std::string::npos);
  EXPECT_NE(refused([] { KerasTensor() + Input({4}); }).find("empty"), std::string::npos);
  EXPECT_NE(refused([] { Input({4}) * KerasTensor(); }).find("empty"), std::string::npos);
  Config entry = Config::from_json(whole_text(testing::fixture("keras/operations/with_numbers/config.json")));
  std::string text = entry.to_json();
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    return testing::message_of<DataError>([&] { network_from_json(changed); });
  };
  EXPECT_NE(replaced("\"class_name\":\"Add\"", "\"class_name\":\"Addd\"").find("'Addd'"), std::string::npos);
  EXPECT_NE(replaced("0.5],\"kwargs\":{}", "0.5],\"kwargs\":{\"where\":1}").find("where"), std::string::npos);
}

TEST(Masks, TravelThroughAttentionAsInKeras) {
  for (const std::string name : {"masked_attention", "masked_blocks_behind", "masked_blocks_in_front"}) {
    const std::string folder = testing::fixture("keras/networks/" + name);
    const auto network = network_from_json(whole_text(folder + "/config.json"));
    set_weights_of(*network, folder);
    const Tensors got = network->call_many(arrays_of(folder, "x"), {});
    EXPECT_EQ(testing::difference(got[0], arrays_of(folder, "output")[0], 1e-5), "") << name;
  }
}

TEST(CallArguments, ThatAreNotSupportedAreNamed) {
  Config entry = Config::from_json(whole_text(testing::fixture("keras/operations/attention_calls/config.json")));
  std::string text = entry.to_json();
  const std::string flag = "\"use_causal_mask\":true";
  text.replace(text.find(flag), flag.size(), "\"query_mask\":true");
  EXPECT_NE(testing::message_of<DataError>([&] { network_from_json(text); }).find("query_mask"), std::string::npos);
}

TEST(CallArguments, OfKeras2AreRead) {
  const auto network = network_from_json(R"({"class_name":"Functional","config":{"name":"old","layers":[
    {"class_name":"InputLayer","config":{"batch_input_shape":[null,3,4],"dtype":"float32","name":"x"},"name":"x","inbound_nodes":[]},
    {"class_name":"MultiHeadAttention","config":{"name":"heads","num_heads":2,"key_dim":3},"name":"heads",
     "inbound_nodes":[[["x",0,0,{"value":["x",0,0],"use_causal_mask":true}]]]},
    {"class_name":"Attention","config":{"name":"plain"},"name":"plain","inbound_nodes":[[["heads",0,0,{}],["x",0,0,{}]]]}],
    "input_layers":[["x",0,0]],"output_layers":[["plain",0,0]]}})");
  const Tensor x = RandomStream(1).normal({2, 3, 4});
  const layers::MultiHeadAttention heads(2, 3);
  heads(x, x);
  for (std::size_t i = 0; i < heads.weights().size(); ++i) heads.weights()[i].assign(network->get_weights()[i]);
  const Tensor attended = heads(x, x, {.use_causal_mask = true});
  EXPECT_TRUE(at::allclose(network->call_many(x, {})[0], layers::Attention()(attended, x), 1e-5, 1e-6));
}

TEST(Lambda, ComputesItsFunction) {
  const layers::Lambda twice([](const Tensor& x) { return x * 2; });
  const KerasTensor x = Input({3});
  const Graph graph(x, twice(x));
  EXPECT_TRUE(at::equal(const_cast<Graph&>(graph).call_many(at::ones({2, 3}), {})[0], at::full({2, 3}, 2)));
  const layers::Lambda firsts([](const Tensor& a) { return a.narrow(1, 0, 2); }, {.output_shape = {2}});
  EXPECT_EQ(firsts(x).shape(), (Shape{-1, 2}));
  EXPECT_NE(testing::message_of<InvalidArgument>([&] { network_to_json(graph); }).find("register_function"),
            std::string::npos);
}

TEST(Lambda, IsKnownToFilesByItsName) {
  register_function("test>halve", [](const Tensor& x) { return x / 2; });
  const KerasTensor x = Input({3});
  const Graph graph(x, layers::Lambda("halve")(x));
  const auto again = network_from_json(network_to_json(graph));
  EXPECT_TRUE(at::equal(again->call_many(at::ones({2, 3}), {})[0], at::full({2, 3}, 0.5)));
  EXPECT_NE(testing::message_of<InvalidArgument>([] { layers::Lambda("hale"); }).find("halve"), std::string::npos);
}

TEST(Lambda, OfPythonCodeIsRefused) {
  const std::string message = testing::message_of<DataError>([] {
    network_from_json(R"({"class_name":"Sequential","config":{"name":"s","layers":[
      {"module":"keras.layers","class_name":"Lambda","config":{"name":"mine","function":{"class_name":"__lambda__",
       "config":{"code":"4wEAAAA=","defaults":null,"closure":null}},"arguments":{}},"registered_name":null}]}})");
  });
  EXPECT_NE(message.find("'mine'"), std::string::npos) << message;
  EXPECT_NE(message.find("Python code"), std::string::npos) << message;
}

}  // namespace
}  // namespace tandem
