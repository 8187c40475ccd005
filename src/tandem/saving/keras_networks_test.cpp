#include "tandem/saving/keras_networks_test.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "tandem/layers/batch_normalization.h"
#include "tandem/layers/conv2d.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/dropout.h"
#include "tandem/layers/flatten.h"
#include "tandem/layers/input.h"
#include "tandem/network/chain.h"
#include "tandem/network/graph.h"
#include "tandem/network/subclassed.h"

namespace tandem::saving {
namespace {

using layers::BatchNormalization;
using layers::Dense;

// A layer that is made of a layer, and says what Keras calls it.
struct Scaled : Layer {
  Dense project{3, {.name = "project"}};
  Weight scale;

  void build(const Shape& input) override {
    scale = add_weight("scale", {3});
    project->ensure_built({input});
  }
  Tensor call(const Tensor& x, const CallContext& context) override { return project(x, context) * scale.value(); }
  std::vector<std::shared_ptr<Layer>> children() const override { return {project.get()}; }
  std::vector<std::pair<std::string, std::shared_ptr<Layer>>> named_children() const override {
    return {{"project", project.get()}};
  }
};

struct Net : SubclassedModel {
  Dense hidden = track("hidden", Dense(4));
  LayerOf<Scaled> scaled = track("scaled", make_layer<Scaled>());
  BatchNormalization norm = track("norm", BatchNormalization());
  Dense last = track("_last", Dense(2));
  Dense out = track("out", Dense(3));
  Weight gain;

  void build_many(const Shapes& inputs) override {
    gain = add_weight("gain", {4});
    SubclassedModel::build_many(inputs);
  }
  Tensor call(const Tensor& x, const CallContext& context) override {
    const Tensor y = norm(hidden(x, context) * gain.value(), context);
    return last(out(scaled(y, context), context), context);
  }
};

// A layer that stands for a network, as a model within a model does.
struct Inner : Layer {
  std::shared_ptr<Network> network;
  explicit Inner(std::shared_ptr<Network> inner) : network(std::move(inner)) { set_name(network->name()); }
  void build_many(const Shapes& inputs) override { network->ensure_built(inputs); }
  Tensors call_many(const Tensors& x, const CallContext& context) override { return network->call_many(x, context); }
  Shapes output_shapes(const Shapes& inputs) override { return network->output_shapes(inputs); }
  std::string class_name() const override { return network->class_name(); }
  std::vector<std::shared_ptr<Layer>> children() const override { return {network}; }
  std::vector<std::pair<std::string, std::shared_ptr<Layer>>> named_children() const override {
    return {{"", network}};
  }
};

}  // namespace

std::shared_ptr<Network> functional_network() {
  const auto chain = std::make_shared<Chain>();
  chain->set_name("inner");
  chain->add(layers::Input({4}));
  chain->add(BatchNormalization({.name = "in_bn"}));
  chain->add(Dense(3, {.name = "in_dense"}));
  const LayerHandle inner(std::make_shared<Inner>(chain));
  const Dense shared(4, {.name = "shared"});
  const BatchNormalization frozen({.name = "frozen"});
  frozen->set_trainable(false);

  const auto x = layers::Input({4, 4, 2}, {.name = "image"});
  const auto features = BatchNormalization({.name = "bn"})(layers::Conv2D(3, {2, 2}, {.name = "conv"})(x));
  const auto dropped = layers::Dropout(0.5, {.name = "drop"})(features);
  const auto first = Dense(4, {.name = "first"})(layers::Flatten({.name = "flat"})(dropped));
  const auto y = frozen(inner(shared(shared(first))));
  const auto graph = std::make_shared<Graph>(x, Dense(2, {.name = "out"})(y));
  graph->set_name("whole");
  return graph;
}

std::shared_ptr<Network> sequential_network() {
  const auto chain = std::make_shared<Chain>();
  chain->set_name("plain");
  chain->add(layers::Input({6}));
  chain->add(Dense(5, {.activation = "relu", .name = "hidden"}));
  chain->add(BatchNormalization({.name = "norm"}));
  chain->add(Dense(3, {.activation = "softmax", .name = "out"}));
  return chain;
}

std::shared_ptr<Network> subclassed_network() {
  const auto net = std::make_shared<Net>();
  net->set_name("net");
  net->ensure_built({{Shape::kUnknown, 6}});
  return net;
}

std::shared_ptr<Network> network_named(const std::string& name) {
  return name == "functional"   ? functional_network()
         : name == "sequential" ? sequential_network()
                                : subclassed_network();
}

std::shared_ptr<Network> dense_network() {
  const auto chain = std::make_shared<Chain>();
  chain->set_name("single");
  chain->add(layers::Input({3}));
  chain->add(Dense(2, {.name = "dense"}));
  return chain;
}

at::Tensor flat_weights(const Network& network) {
  std::vector<Tensor> flat;
  for (const auto& values : network.get_weights()) flat.push_back(values.reshape(-1));
  return at::cat(flat);
}

void set_flat_weights(Network& network, const at::Tensor& values) {
  int64_t begin = 0;
  for (const auto& weight : network.weights()) {
    const int64_t count = weight.shape().count();
    weight.assign(values.slice(0, begin, begin + count).view(weight.shape().sizes()));
    begin += count;
  }
}

void set_counted_weights(Network& network) {
  // Between 0.1 and 0.6, so that no moving variance is negative.
  set_flat_weights(network,
                   at::arange(1, network.count_params() + 1, at::kFloat) / (2.0 * network.count_params()) + 0.1);
}

at::Tensor output_of(Network& network, const at::Tensor& x) {
  const CallContext inference;
  const CallScope scope(inference);
  return network.call_many(x, inference)[0].detach();
}

ScratchFolder::ScratchFolder() : path_(std::filesystem::temp_directory_path() / "tandem-saving-XXXXXX") {
  EXPECT_NE(mkdtemp(path_.data()), nullptr);
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string ScratchFolder::content() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path_)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  std::string all;
  for (const auto& name : names) all += (all.empty() ? "" : ", ") + name;
  return all;
}

std::string read_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

}  // namespace tandem::saving
