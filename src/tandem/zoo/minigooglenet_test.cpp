#include "tandem/zoo/minigooglenet.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tandem/core/error.h"
#include "tandem/testing/npy.h"
#include "tandem/zoo/catalog.h"

namespace tandem::zoo {
namespace {

// The case's formula for values that look random: 2 frac(43758.5453 sin(12.9898 j + phase)) - 1.
Tensor noise(const Shape& shape, double phase) {
  Tensor values = at::empty(shape.sizes(), at::kDouble);
  auto* v = values.mutable_data_ptr<double>();
  for (int64_t j = 0; j < values.numel(); ++j) {
    const double t = 43758.5453 * std::sin(12.9898 * static_cast<double>(j) + phase);
    v[j] = 2 * (t - std::floor(t)) - 1;
  }
  return values;
}

TEST(MiniGoogLeNet, HasTheLayersOfKeras) {
  clear_session();
  const auto model = minigooglenet();
  std::ifstream file(testing::fixture("keras/zoo/minigooglenet/case.json"));
  const auto expected = nlohmann::json::parse(file);
  const auto layers = model.layers();
  ASSERT_EQ(layers.size(), expected["layers"].size());
  for (std::size_t i = 0; i < layers.size(); ++i) {
    EXPECT_EQ(layers[i]->name(), expected["layers"][i]["name"]);
    EXPECT_EQ(layers[i]->count_params(), expected["layers"][i]["params"]) << layers[i]->name();
  }
  EXPECT_EQ(model.count_params(), expected["params"]);
}

TEST(MiniGoogLeNet, PredictsWhatKerasPredicts) {
  auto model = minigooglenet();
  std::vector<Tensor> weights;
  const auto layers = model.layers();
  int64_t k = 0;
  for (const auto& layer : layers) {
    for (const auto& w : layer->weights()) {
      Tensor n = noise(w.shape(), static_cast<double>(k++));
      if (w.name() == "kernel") {
        const double fan_in = static_cast<double>(w.shape().count()) / static_cast<double>(w.shape().back());
        n = n * std::sqrt(6 / fan_in);
      } else if (w.name() == "gamma" || w.name() == "moving_variance") {
        n = 1 + 0.3 * n;
      } else {
        n = 0.1 * n;
      }
      weights.push_back(n.to(at::kFloat));
    }
  }
  model.set_weights(weights);
  const auto x = noise({2, 32, 32, 3}, 0.5).to(at::kFloat);
  const auto expected = testing::load_npy(testing::fixture("keras/zoo/minigooglenet/predict.npy"));
  EXPECT_TRUE(at::allclose(model.predict(x), expected, 1e-3, 1e-4)) << model.predict(x) << expected;
}

TEST(MiniGoogLeNet, RefusesSmallImages) {
  EXPECT_THROW(minigooglenet({.input_shape = {30, 32, 3}}), InvalidArgument);
  EXPECT_EQ(minigooglenet({.input_shape = {31, 31, 1}, .classes = 2}).layers().back()->count_params(), 336 * 2 + 2);
}

TEST(Zoo, ProposesTheNearestName) {
  try {
    make("minigoglenet", 10);
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "model 'minigoglenet' is not known; did you mean 'minigooglenet'?");
  }
}

}  // namespace
}  // namespace tandem::zoo
