#include "tandem/layers/keras_case_test.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "tandem/layers/catalog.h"
#include "tandem/testing/npy.h"

namespace tandem::testing {
namespace {

const std::set<std::string> kOfTheModel = {"name", "trainable", "dtype"};  // not a layer's own settings

/// Equal, with numbers that Keras stored as float32 compared as such.
bool same_setting(const Config& got, const Config& want) {
  if (got.is_number() && want.is_number()) return std::abs(got.as_double() - want.as_double()) <= 1e-7;
  if (got.is_object() && want.is_object()) {
    if (got.as_object().size() != want.as_object().size()) return false;
    for (const auto& [key, value] : want.as_object()) {
      if (!got.contains(key) || !same_setting(got.at(key), value)) return false;
    }
    return true;
  }
  if (got.is_list() && want.is_list()) {
    return std::equal(got.as_list().begin(), got.as_list().end(), want.as_list().begin(), want.as_list().end(),
                      same_setting);
  }
  return got == want;
}

void expect_same_config(const Config& got, const Config& want) {
  for (const auto& [key, value] : want.as_object()) {
    if (kOfTheModel.count(key)) continue;
    if (!got.contains(key)) {
      ADD_FAILURE() << "config has no " << key;
    } else {
      EXPECT_TRUE(same_setting(got.at(key), value))
          << key << ": " << got.at(key).to_json() << ", Keras " << value.to_json();
    }
  }
  for (const auto& [key, value] : got.as_object()) EXPECT_TRUE(want.contains(key)) << "Keras has no " << key;
}

Shapes unknown_batch(const std::vector<Tensor>& inputs) {
  Shapes shapes;
  for (const auto& x : inputs) {
    shapes.push_back(Shape::of(x.sizes().vec()));
    shapes.back()[0] = Shape::kUnknown;
  }
  return shapes;
}

}  // namespace

KerasCase::KerasCase(const std::string& name) : folder("keras/layers/" + name) {
  std::ifstream file(fixture(folder + "/case.json"));
  about = Config::from_json(std::string{std::istreambuf_iterator<char>(file), {}});
}

Tensor KerasCase::load(const std::string& file) const { return load_npy(fixture(folder + "/" + file + ".npy")); }

std::vector<Tensor> KerasCase::load_all(const std::string& prefix) const {
  std::vector<Tensor> all;
  if (std::filesystem::exists(fixture(folder + "/" + prefix + ".npy"))) all.push_back(load(prefix));
  while (std::filesystem::exists(fixture(folder + "/" + prefix + std::to_string(all.size()) + ".npy"))) {
    all.push_back(load(prefix + std::to_string(all.size())));
  }
  return all;
}

void set_up(const LayerHandle& layer, const KerasCase& keras) {
  layer->ensure_built(unknown_batch(keras.load_all("x")));
  const auto values = keras.load_all("weight");
  const auto weights = layer->weights();
  ASSERT_EQ(weights.size(), values.size());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const Config about = keras.about.at("weights").as_list()[i];
    EXPECT_EQ(weights[i].name(), about.at("name").as_string());
    EXPECT_EQ(weights[i].shape(), Shape::of(about.at("shape").as_ints()));
    EXPECT_EQ(weights[i].trainable(), about.at("trainable").as_bool());
    weights[i].assign(values[i]);
    if (weights[i].trainable()) weights[i].variable().value.requires_grad_(true);
  }
}

void expect_close(const Tensor& got, const Tensor& want, double tolerance, const std::string& what) {
  ASSERT_TRUE(got.defined()) << what;
  ASSERT_EQ(got.sizes(), want.sizes()) << what;
  EXPECT_TRUE(at::allclose(got, want, tolerance, tolerance))
      << what << " differs by " << (got - want).abs().max().item<double>();
}

void expect_matches(const LayerHandle& layer, const KerasCase& keras) {
  set_up(layer, keras);
  if (::testing::Test::HasFatalFailure()) return;
  auto inputs = keras.load_all("x");
  for (auto& x : inputs) x.requires_grad_(true);

  AddedLosses added;
  CallContext context;
  context.added_losses = &added;
  const Tensor output = layer(Tensors(inputs), context);
  expect_close(output, keras.load("output"), 1e-5, "output");
  EXPECT_TRUE(output.is_contiguous());
  EXPECT_TRUE(layer->output_shapes(unknown_batch(inputs)).front().matches(Shape::of(output.sizes().vec())));

  Tensor total = (output * keras.load("r")).sum();
  double penalty = 0;
  for (const auto& loss : added.losses()) {
    total = total + loss;
    penalty += loss.item<double>();
  }
  total.backward();
  const auto by_input = keras.load_all("grad_x");
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    // Ids have no gradient, which Keras writes as zeros.
    const Tensor got = inputs[i].grad().defined() ? inputs[i].grad() : at::zeros_like(inputs[i]);
    expect_close(got, by_input[i], 1e-4, "gradient of input");
  }
  const auto weights = layer->weights();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!weights[i].trainable()) continue;
    expect_close(weights[i].value().grad(), keras.load("grad_weight" + std::to_string(i)), 1e-4,
                 "gradient of " + weights[i].name());
    if (const auto& regularizer = weights[i].variable().regularizer)
      penalty += (*regularizer)(weights[i].value()).item<double>();
  }
  EXPECT_NEAR(penalty, keras.about.at("regularization").as_double(), 1e-6);
  expect_same_config(layer->get_config(), keras.about.at("config"));
}

int check_cases(const std::string& prefix) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(fixture("keras/layers"))) {
    const std::string name = entry.path().filename();
    if (!name.starts_with(prefix)) continue;
    SCOPED_TRACE(name);
    const KerasCase keras(name);
    expect_matches(layer_from_config(keras.about.at("class").as_string(), keras.about.at("config")), keras);
    ++count;
  }
  return count;
}

}  // namespace tandem::testing
