// Weights of networks in safetensors files: Keras's paths, what is reported, and what is refused.
#include "tandem/saving/safetensors_weights.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/core/error.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/network/chain.h"
#include "tandem/network/network_config.h"
#include "tandem/saving/keras_networks_test.h"
#include "tandem/saving/safetensors.h"
#include "tandem/saving/weight_paths.h"
#include "tandem/saving/weights_file.h"
#include "tandem/testing/captured_log.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/npy.h"

namespace tandem::saving {
namespace {

using testing::fixture;
using testing::message_of;

std::vector<std::string> paths_of(const Network& network) {
  std::vector<std::string> paths;
  for (const auto& named : weight_paths(network)) paths.push_back(named.name);
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::vector<std::string> keras_paths(const std::string& model) {
  std::vector<std::string> paths;
  const Config all = Config::from_json(read_bytes(fixture("keras/saving/paths/case.json"))).at("paths");
  for (const auto& path : all.at(model).as_list()) paths.push_back(path.as_string());
  return paths;
}

TEST(WeightPaths, AreThoseOfRealKeras) {
  for (const std::string model : {"functional", "sequential", "subclassed"}) {
    auto wanted = keras_paths(model);
    if (model == "subclassed") {  // Python's attribute is _last, TensorFlow does not take that as the layer's name
      for (auto& path : wanted) {
        if (path.starts_with("net/last/")) path.insert(4, "_");
      }
    }
    std::sort(wanted.begin(), wanted.end());
    EXPECT_EQ(paths_of(*network_named(model)), wanted) << model;
  }
}

// What Keras calls the weights of a model that it read from a config.
TEST(WeightPaths, OfOtherWaysToMakeTheModelAreFound) {
  const ScratchFolder folder;
  for (const std::string name :
       {"shared", "nested", "nested_two_inputs", "three_levels", "sequential", "sequential_nested"}) {
    const auto network = network_from_json(read_bytes(fixture("keras/networks/" + name + "/config.json")));
    const auto names = keras_paths("networks/" + name);
    const auto weights = network->weights();
    ASSERT_EQ(names.size(), weights.size()) << name;
    NamedTensors tensors;
    for (std::size_t i = 0; i < names.size(); ++i)
      tensors.emplace_back(names[i], at::full(weights[i].shape().sizes(), static_cast<double>(i)));
    save_safetensors(tensors, folder.file("a.safetensors"));
    EXPECT_TRUE(load_weights(*network, folder.file("a.safetensors")).complete()) << name;
    const auto values = network->get_weights();
    for (std::size_t i = 0; i < values.size(); ++i) EXPECT_TRUE(at::equal(values[i], tensors[i].second)) << name << i;
  }
}

TEST(WeightPaths, WhereTwoWeightsWouldHaveOnePath) {
  const auto chain = std::make_shared<Chain>();
  chain->set_name("same");
  chain->add(layers::Input({2}));
  const auto inner = std::make_shared<Chain>();
  inner->set_name("same");
  inner->add(layers::Input({2}));
  inner->add(layers::Dense(2, {.use_bias = false, .name = "dense"}));
  chain->add(LayerHandle(inner));
  chain->add(layers::Dense(2, {.use_bias = false, .name = "dense"}));
  EXPECT_EQ(paths_of(*chain), (std::vector<std::string>{"same/dense/kernel", "same/dense/kernel_1"}));
}

class SafetensorsWeights : public ::testing::TestWithParam<std::string> {};

TEST_P(SafetensorsWeights, ComeBackWithTheSameBytesEveryTime) {
  const ScratchFolder folder;
  const std::string path = folder.file("a.safetensors");
  const auto network = network_named(GetParam()), other = network_named(GetParam());
  set_counted_weights(*network);
  save_weights(*network, path);
  const std::string first = read_bytes(path);
  const auto report = load_weights(*other, path);
  EXPECT_TRUE(report.complete());
  EXPECT_EQ(report.loaded.size(), network->weights().size());
  EXPECT_TRUE(at::equal(flat_weights(*other), flat_weights(*network)));
  save_weights(*other, path);
  EXPECT_TRUE(read_bytes(path) == first);
  EXPECT_EQ(folder.content(), "a.safetensors");
}

INSTANTIATE_TEST_SUITE_P(Models, SafetensorsWeights, ::testing::Values("functional", "sequential", "subclassed"));

class SafetensorsMatching : public ::testing::Test {
 protected:
  SafetensorsMatching() { network_->set_name("single"); }

  std::string write(const NamedTensors& tensors) {
    save_safetensors(tensors, path_);
    return path_;
  }
  std::string refused(const NamedTensors& tensors, const LoadWeightsOptions& options = {}) {
    write(tensors);
    const Tensor before = flat_weights(*network_);
    const auto message = message_of<DataError>([&] { load_weights(*network_, path_, options); });
    EXPECT_TRUE(at::equal(flat_weights(*network_), before));
    return message.starts_with(path_) ? message.substr(path_.size()) : message;
  }

  ScratchFolder folder_;
  std::string path_ = folder_.file("a.safetensors");
  std::shared_ptr<Network> network_ = dense_network();
  Tensor kernel_ = at::arange(6, at::kFloat).view({3, 2}), bias_ = at::ones({2});
};

TEST_F(SafetensorsMatching, NamesOfModelsMayBeMissingOrMore) {
  EXPECT_TRUE(
      load_weights(*network_, write({{"outer/single/dense/kernel", kernel_ + 5}, {"dense/bias", bias_}})).complete());
  EXPECT_TRUE(at::equal(network_->get_weights()[0], kernel_ + 5));
  EXPECT_NE(refused({{"a/dense/kernel", kernel_}, {"b/dense/kernel", kernel_}, {"dense/bias", bias_}}),
            "nothing was thrown");
  EXPECT_NE(refused({{"kernel", kernel_}, {"bias", bias_}}).find("nothing in it fits"), std::string::npos);
  EXPECT_TRUE(load_weights(*network_, write({{"single/dense/kernel", kernel_}, {"dense/bias", bias_}})).complete());
  EXPECT_TRUE(at::equal(network_->get_weights()[0], kernel_));
  EXPECT_TRUE(at::equal(network_->get_weights()[1], bias_));
}

TEST_F(SafetensorsMatching, OtherTypesAreConverted) {
  for (const auto type : {at::kHalf, at::kBFloat16, at::kDouble, at::kInt}) {
    load_weights(*network_, write({{"dense/kernel", (kernel_ + 1).to(type)}, {"dense/bias", bias_.to(type)}}));
    EXPECT_TRUE(at::equal(network_->get_weights()[0], kernel_ + 1));
  }
}

TEST_F(SafetensorsMatching, NamesThatAreMissingOrLeftOver) {  // user-asks U79, U81
  EXPECT_EQ(refused({{"a/kernel", kernel_}, {"a/bias", bias_}}),
            ": nothing in it fits model 'single'; in the file: a/bias, a/kernel; in the model: single/dense/kernel, "
            "single/dense/bias");
  EXPECT_EQ(refused({{"dense/kernel", kernel_}, {"a/bias", bias_}}),
            ": must hold the weights of model 'single'; missing: single/dense/bias; not in the model: a/bias");
  EXPECT_EQ(refused({{"dense/kernel", kernel_.t()}, {"dense/bias", bias_}}),
            R"(: tensor "dense/kernel": must have shape (3, 2), has (2, 3))");
  const testing::CapturedLog log;
  EXPECT_EQ(
      load_weights(*network_, write({{"dense/kernel", kernel_}, {"a/bias", bias_}}), {.by_name = true}).to_string(),
      "loaded 1, missing 1: single/dense/bias, surplus 1: a/bias");
  EXPECT_EQ(log.warnings().back(),
            "load_weights: " + path_ + ": loaded 1, missing 1: single/dense/bias, surplus 1: a/bias");
  EXPECT_EQ(load_weights(*network_, write({{"dense/kernel", kernel_.t()}, {"dense/bias", bias_ + 4}}),
                         {.skip_mismatch = true})
                .to_string(),
            "loaded 1, skipped 1: single/dense/kernel");
  EXPECT_TRUE(at::equal(network_->get_weights()[0], kernel_));
  EXPECT_TRUE(at::equal(network_->get_weights()[1], bias_ + 4));
}

TEST_F(SafetensorsMatching, Renames) {  // user-asks U81
  const NamedTensors foreign{{"module.fc.weight", kernel_}, {"module.fc.bias", bias_}};
  const LoadWeightsOptions one{.rename = {{"module.fc.", "dense/"}}};
  EXPECT_EQ(refused(foreign, one),
            ": must hold the weights of model 'single'; missing: single/dense/kernel; not in the model: dense/weight");
  const LoadWeightsOptions both{.rename = {{"module.fc.", "dense/"}, {"module.fc.weight", "dense/kernel"}}};
  EXPECT_TRUE(load_weights(*network_, write(foreign), both).complete());
  EXPECT_TRUE(at::equal(network_->get_weights()[0], kernel_));
  EXPECT_EQ(refused(foreign, {.rename = {{"module.fc.weight", "x"}, {"module.fc.bias", "x"}}}),
            ": two of its tensors are renamed to 'x'");
  const std::string other = folder_.file("a.weights.h5");
  save_weights(*network_, other);
  EXPECT_EQ(message_of([&] { load_weights(*network_, other, one); }),
            "load_weights: rename works with safetensors files only; " + other + " is none");
}

TEST_F(SafetensorsMatching, TheContentDecidesNotTheEnding) {
  const std::string path = folder_.file("a.weights.h5");
  save_safetensors({{"dense/kernel", kernel_}, {"dense/bias", bias_}}, path);
  EXPECT_TRUE(load_weights(*network_, path).complete());
  const std::string named = folder_.file("b.safetensors");
  save_weights(*network_, folder_.file("b.h5"));
  std::filesystem::rename(folder_.file("b.h5"), named);
  EXPECT_TRUE(load_weights(*network_, named).complete());
  write_bytes(named, "no");
  EXPECT_EQ(message_of<DataError>([&] { load_weights(*network_, named); }),
            named + ": is too short for a safetensors file, has 2 bytes");
}

}  // namespace
}  // namespace tandem::saving
