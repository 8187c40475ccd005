// Layers compute on a GPU what they compute on the CPU, forward and backward, and only there. Those of the catalog that
// have no case here are named.
#include <ATen/ATen.h>

#include <algorithm>
#include <set>

#include "check.h"
#include "stand_in.h"
#include "tandem/core/device_stream.h"
#include "tandem/layers/catalog.h"
#include "tandem/light.h"
#include "tandem/testing/closeness.h"

namespace tandem::testing {
namespace {

// Of a GPU's convolutions, which add in another order.
constexpr double kTolerance = 1e-4;

struct Case {
  std::string name;
  Model model;
  bool ids = false;  // the input is whole numbers
};

struct Computed {
  Tensor inference, training, by_x, penalty;
  std::vector<Tensor> by_weights, after;  // gradients, and all weights after the call in training
};

Computed compute(const Case& c, const Tensor& x_on_cpu, const c10::Device& device) {
  const DeviceStream stream(device);
  const StreamScope stream_scope(stream);
  auto& network = *c.model.network();
  WeightMap map;
  for (const auto& w : network.weights()) {
    Tensor own = w.variable().value.to(device, /*non_blocking=*/false, /*copy=*/true);
    if (w.trainable()) own = own.detach().set_requires_grad(true);
    map[&w.variable()] = own;
  }
  const WeightScope weights(map);
  Tensor x = x_on_cpu.to(device, false, /*copy=*/true);
  if (!c.ids) x.set_requires_grad(true);
  Computed got;
  {
    const CallContext context;
    const CallScope scope(context);
    got.inference = network.outputs({x}, context)[0].detach();
  }
  // From the third row on of a larger batch: a dropout mask must be that part of its mask.
  const CallContext context{.training = true, .random = RandomStream(7), .first_row = 2};
  const CallScope scope(context);
  const Tensor out = network.outputs({x}, context)[0];
  got.training = out.detach();
  const Tensor direction = RandomStream(9).normal(Shape::of(out.sizes().vec())).to(device);
  if (out.requires_grad()) (out * direction).sum().backward();
  if (x.grad().defined()) got.by_x = x.grad();
  const Tensor penalty = network.regularization();
  if (penalty.defined()) got.penalty = penalty.detach();
  for (const auto& w : network.weights()) {
    const Tensor& own = map.at(&w.variable());
    if (own.grad().defined()) got.by_weights.push_back(own.grad());
    const auto& constraint = w.variable().constraint;
    got.after.push_back(constraint ? (*constraint)(own.detach()) : own.detach());
  }
  stream.synchronize();
  return got;
}

std::string compare(const Computed& got, const Computed& want, const c10::Device& device) {
  std::vector<std::pair<std::string, std::pair<Tensor, Tensor>>> pairs{
      {"output", {got.inference, want.inference}},
      {"output in training", {got.training, want.training}},
      {"gradient of x", {got.by_x, want.by_x}},
      {"penalty", {got.penalty, want.penalty}}};
  if (got.by_weights.size() != want.by_weights.size()) return "another number of gradients";
  for (std::size_t i = 0; i < want.by_weights.size(); ++i)
    pairs.push_back({"gradient of weight " + std::to_string(i), {got.by_weights[i], want.by_weights[i]}});
  for (std::size_t i = 0; i < want.after.size(); ++i)
    pairs.push_back({"weight " + std::to_string(i) + " after", {got.after[i], want.after[i]}});
  for (const auto& [what, pair] : pairs) {
    const auto& [there, here] = pair;
    if (there.defined() != here.defined()) return what + " is defined on one device alone";
    if (!here.defined()) continue;
    if (there.device() != device) return what + " is on " + there.device().str();
    if (const auto difference = testing::difference(there.cpu(), here, kTolerance); !difference.empty())
      return what + ": " + difference;
  }
  return "";
}

template <class Layer>
Model merged() {
  const auto x = layers::Input({6, 6, 4});
  const auto a = layers::Conv2D(4, {1, 1})(x), b = layers::Conv2D(4, {3, 3}, {.padding = "same"})(x);
  return Model(x, Layer()({a, b}));
}

std::vector<Case> cases() {
  using namespace layers;
  const auto image = [](std::initializer_list<LayerHandle> list) {
    Sequential model({Input({6, 6, 4})});
    for (const auto& layer : list) model.add(layer);
    return model;
  };
  std::vector<Case> all{
      {"Dense", Sequential({Input({5}), Dense(7, {.activation = "tanh", .kernel_regularizer = "l2"})})},
      {"Dense", image({Dense(3)})},
      {"Flatten", image({Flatten(), Dense(3)})},
      {"Conv2D", image({Conv2D(5, {3, 3}, {.padding = "same", .activation = "relu"})})},
      {"Conv2D", image({Conv2D(6, {2, 2}, {.strides = {2, 2}, .padding = "same", .kernel_regularizer = "l1"})})},
      {"Conv2DTranspose", image({Conv2DTranspose(5, {3, 3}, {.strides = {2, 2}, .padding = "same"})})},
      {"DepthwiseConv2D", image({DepthwiseConv2D({3, 3}, {.padding = "same"})})},
      {"SeparableConv2D", image({SeparableConv2D(5, {3, 3})})},
      {"BatchNormalization", image({BatchNormalization()})},
      {"BatchNormalization", image({Conv2D(8, {3, 3}), BatchNormalization(), Activation("relu")})},
      {"BatchNormalization", Sequential({Input({5}), Dense(4), BatchNormalization(), ReLU()})},
      {"LayerNormalization", image({LayerNormalization()})},
      {"Dropout", image({Dropout(0.4)})},
      {"Dropout", image({Dropout(0.4, {.noise_shape = {1, 1, 1, 4}})})},
      {"Embedding", Sequential({Input({6}), Embedding(11, 3)}), true},
      {"AveragePooling2D", image({AveragePooling2D({2, 2})})},
      {"MaxPooling2D", image({MaxPooling2D({3, 3}, {.strides = {2, 2}, .padding = "same"})})},
      {"GlobalAveragePooling2D", image({GlobalAveragePooling2D()})},
      {"GlobalMaxPooling2D", image({GlobalMaxPooling2D()})},
      {"ZeroPadding2D", image({ZeroPadding2D()})},
      {"Cropping2D", image({Cropping2D(1)})},
      {"UpSampling2D", image({UpSampling2D(2, {.interpolation = "bilinear"})})},
      {"Resizing", image({Resizing(9, 4)})},
      {"Rescaling", image({Rescaling({1, 2, 3, 4}, {.offset = 0.5})})},
      {"Permute", image({Permute({3, 1, 2})})},
      {"Reshape", image({Reshape({12, 12})})},
      {"Identity", image({Identity()})},
      {"ReLU", image({ReLU({.max_value = 1})})},
      {"LeakyReLU", image({LeakyReLU()})},
      {"Softmax", image({Softmax()})},
      {"Add", merged<Add>()},
      {"Subtract", merged<Subtract>()},
      {"Multiply", merged<Multiply>()},
      {"Average", merged<Average>()},
      {"Maximum", merged<Maximum>()},
      {"Minimum", merged<Minimum>()},
      {"Concatenate", merged<Concatenate>()},
  };
  for (const char* name : {"linear",     "relu",        "softmax",     "sigmoid",      "tanh",      "relu6",
                           "leaky_relu", "elu",         "selu",        "celu",         "gelu",      "silu",
                           "mish",       "glu",         "log_sigmoid", "hard_sigmoid", "hard_silu", "sparse_sigmoid",
                           "hard_tanh",  "tanh_shrink", "soft_shrink", "hard_shrink",  "softplus",  "sparse_plus",
                           "squareplus", "softsign",    "exponential", "log_softmax",  "sparsemax"})
    all.push_back({"Activation", image({Activation(name)})});
  // The same along one and three axes, as their configs make them.
  for (const auto& [name, config] : std::vector<std::pair<std::string, Config>>{
           {"Conv", Config::object({{"filters", 3}, {"kernel_size", 2}})},
           {"Conv#Transpose", Config::object({{"filters", 3}, {"kernel_size", 3}, {"strides", 2}})},
           {"DepthwiseConv", Config::object({{"kernel_size", 2}})},
           {"SeparableConv", Config::object({{"filters", 3}, {"kernel_size", 2}})},
           {"AveragePooling", Config::object({{"pool_size", 2}})},
           {"MaxPooling", Config::object({{"pool_size", 2}})},
           {"GlobalAveragePooling", Config::object()},
           {"GlobalMaxPooling", Config::object()},
           {"ZeroPadding", Config::object({{"padding", 1}})},
           {"Cropping", Config::object({{"cropping", 1}})},
           {"UpSampling", Config::object({{"size", 2}})}}) {
    for (const auto& [dimensions, shape] : {std::pair<std::string, Shape>{"1D", {6, 4}}, {"3D", {4, 5, 4, 2}}}) {
      const auto mark = name.find('#');
      const auto full = mark == name.npos ? name + dimensions : std::string(name).replace(mark, 1, dimensions);
      const auto known = layer_class_names();
      if (std::find(known.begin(), known.end(), full) == known.end()) continue;  // Keras has it along other axes only
      all.push_back({full, Sequential({Input(shape), layer_from_config(full, config)})});
    }
  }
  for (const char* constraint : {"max_norm", "non_neg", "unit_norm", "min_max_norm"})
    all.push_back({"Dense", Sequential({Input({5}), Dense(4, {.kernel_constraint = constraint})})});
  return all;
}

int run() {
  use_gpu_or_stand_in();
  Checks check;
  const auto device = torch_device(Device("gpu:0"));
  set_random_seed(3);
  std::set<std::string> missing;
  for (const auto& name : layer_class_names()) missing.insert(name);
  for (const auto& c : cases()) {
    missing.erase(c.name);
    auto sizes = c.model.network()->input_shapes().front().without_batch().with_batch(3);
    const Tensor x =
        c.ids ? at::arange(sizes.count()).remainder(11).reshape(sizes.sizes()) : RandomStream(5).normal(sizes);
    const auto different = compare(compute(c, x, device), compute(c, x, at::kCPU), device);
    check.that(different.empty(), c.name + " of " + c.model.name() + (different.empty() ? "" : ": " + different));
  }
  std::string names;
  for (const auto& name : missing) names += " " + name;
  if (!names.empty()) std::printf("not tried:%s\n", names.c_str());
  return check.status();
}

}  // namespace
}  // namespace tandem::testing

int main() { return tandem::testing::run(); }
