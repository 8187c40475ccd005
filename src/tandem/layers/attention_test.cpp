// Attention against real Keras (tests/fixtures/attention_cases.py), and LibTorch's fused way against the plain one.
#include "tandem/layers/attention.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tandem/core/mask.h"
#include "tandem/core/random.h"
#include "tandem/layers/additive_attention.h"
#include "tandem/layers/catalog.h"
#include "tandem/layers/dot_product_attention.h"
#include "tandem/layers/group_query_attention.h"
#include "tandem/layers/input.h"
#include "tandem/layers/keras_case_test.h"
#include "tandem/layers/multi_head_attention.h"
#include "tandem/testing/npy.h"

namespace tandem::layers {
namespace {

using namespace tandem::testing;

/// A folder of keras/attention.
struct AttentionCase {
  explicit AttentionCase(const std::string& name) : folder("keras/attention/" + name + "/") {
    std::ifstream file(fixture(folder + "case.json"));
    about = Config::from_json(std::string{std::istreambuf_iterator<char>(file), {}});
  }
  bool has(const std::string& file) const { return std::filesystem::exists(fixture(folder + file + ".npy")); }
  Tensor load(const std::string& file) const { return load_npy(fixture(folder + file + ".npy")); }

  std::string folder;
  Config about;
};

AttentionHandle handle_of(const LayerHandle& layer) { return AttentionHandle(layer.get()); }

void expect_matches_keras(const AttentionCase& keras) {
  const auto layer = handle_of(layer_from_config(keras.about.at("class").as_string(), keras.about.at("config")));
  std::vector<Tensor> inputs;
  for (int i = 0; keras.has("x" + std::to_string(i)); ++i) {
    inputs.push_back(keras.load("x" + std::to_string(i)).requires_grad_(true));
    if (keras.has("mask" + std::to_string(i))) set_mask(inputs.back(), keras.load("mask" + std::to_string(i)));
  }
  Shapes shapes;
  for (const auto& x : inputs) shapes.push_back(Shape::of(x.sizes().vec()).without_batch().with_batch());
  layer->ensure_built(shapes);
  const auto weights = layer.weights();
  const auto& about = keras.about.at("weights").as_list();
  ASSERT_EQ(weights.size(), about.size());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    ASSERT_EQ(weights[i].shape(), Shape::of(about[i].at("shape").as_ints()));
    EXPECT_TRUE(about[i].at("path").as_string().ends_with(weights[i].name())) << about[i].at("path").as_string();
    weights[i].assign(keras.load("weight" + std::to_string(i)).view(weights[i].shape().sizes()));
    weights[i].variable().value.requires_grad_(true);
  }

  const Config call = keras.about.at("call");
  AttentionArguments<Tensor> arguments{.use_causal_mask = call.at("use_causal_mask").as_bool()};
  if (inputs.size() > 2) arguments.key = inputs[2];
  if (keras.has("attention_mask")) arguments.attention_mask = keras.load("attention_mask");
  Tensor output;
  if (call.at("return_attention_scores").as_bool()) {
    const auto both = layer.with_scores(inputs[0], inputs[1], arguments);
    output = both.first;
    expect_close(both.second, keras.load("scores"), 1e-5, "scores");
  } else {
    output = layer(inputs[0], inputs[1], arguments);
  }
  expect_close(output, keras.load("output"), 1e-5, "output");
  EXPECT_EQ(mask_of(output).defined(), keras.has("output_mask"));
  if (keras.has("output_mask")) {
    EXPECT_TRUE(at::equal(mask_of(output), keras.load("output_mask").to(at::kBool)));
  }

  (output * keras.load("r")).sum().backward();
  for (std::size_t i = 0; i < inputs.size(); ++i)
    expect_close(inputs[i].grad(), keras.load("grad_x" + std::to_string(i)), 1e-4, "gradient of input");
  for (std::size_t i = 0; i < weights.size(); ++i) {
    expect_close(weights[i].value().grad(),
                 keras.load("grad_weight" + std::to_string(i)).view(weights[i].shape().sizes()), 1e-4,
                 "gradient of " + about[i].at("path").as_string());
  }
  const Config got = layer->get_config(), want = keras.about.at("config");
  for (const auto& [key, value] : want.as_object()) {
    if (key == "name" || key == "trainable" || key == "dtype") continue;
    ASSERT_TRUE(got.contains(key)) << key;
    EXPECT_EQ(got.at(key).to_json(), value.to_json()) << key;
  }
  for (const auto& [key, value] : got.as_object()) EXPECT_TRUE(want.contains(key)) << "Keras has no " << key;
}

TEST(Attention, MatchesKeras) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(fixture("keras/attention"))) {
    const std::string name = entry.path().filename();
    SCOPED_TRACE(name);
    expect_matches_keras(AttentionCase(name));
    ++count;
  }
  EXPECT_EQ(count, 36);
}

Tensor normal(uint64_t key, const Shape& shape) { return RandomStream(key).normal(shape); }

struct Gradients {
  Tensor output, query, key, value;
};

Gradients gradients_of(bool fused, const Tensor& mask, bool causal, Unseeing unseeing) {
  const Tensor q = normal(1, {2, 3, 4, 5}).requires_grad_(true), k = normal(2, {2, 3, 6, 5}).requires_grad_(true),
               v = normal(3, {2, 3, 6, 7}).requires_grad_(true), r = normal(4, {2, 3, 4, 7});
  const DotProduct product{q, k, v, 0.3, mask, causal, unseeing};
  const Tensor output = fused ? fused_attention(product) : plain_attention(product).output;
  (output * r).sum().backward();
  return {output, q.grad(), k.grad(), v.grad()};
}

TEST(DotProductAttention, FusedIsThePlainOne) {
  Tensor mask = RandomStream(5).uniform({2, 1, 4, 6}).gt(0.5);
  mask[0][0][1].fill_(false);  // a query that sees nothing
  for (const auto& m : {Tensor(), mask, mask.any(-2, true), mask.any(-1, true)}) {
    for (const bool causal : {false, true}) {
      for (const auto unseeing : {Unseeing::kMean, Unseeing::kZero}) {
        const auto fused = gradients_of(true, m, causal, unseeing), plain = gradients_of(false, m, causal, unseeing);
        expect_close(fused.output, plain.output, 1e-5, "output");
        expect_close(fused.query, plain.query, 1e-5, "gradient of the query");
        expect_close(fused.key, plain.key, 1e-5, "gradient of the key");
        expect_close(fused.value, plain.value, 1e-5, "gradient of the value");
      }
    }
  }
}

TEST(DotProductAttention, MasksByTheirFormulas) {
  const Tensor like = at::ones({1});
  EXPECT_TRUE(at::equal(causal_mask(2, 3, like), at::tensor({1, 0, 0, 1, 1, 0}).view({2, 3}).to(at::kBool)));
  EXPECT_TRUE(
      at::equal(window_mask(3, 3, 2, like), at::tensor({1, 1, 0, 1, 1, 1, 0, 1, 1}).view({3, 3}).to(at::kBool)));
}

TEST(MultiHeadAttention, DropoutKeepsTheMeanAndIsTheRowsOwn) {
  set_random_seed(3);
  const MultiHeadAttention layer(2, 4, {.dropout = 0.5});
  const Tensor x = normal(6, {8, 5, 6});
  const Tensor still = layer(x, x);
  const auto train = [&](const Tensor& rows, int64_t first_row) {
    const CallContext context{.training = true, .random = RandomStream(9), .first_row = first_row};
    return layer({rows, rows}, context);
  };
  const Tensor whole = train(x, 0);
  EXPECT_FALSE(at::allclose(whole, still));
  EXPECT_TRUE(at::allclose(at::cat({train(x.narrow(0, 0, 3), 0), train(x.narrow(0, 3, 5), 3)}), whole, 1e-5, 1e-6));
  // Kept scores are multiplied by 1 / (1 - rate): over many draws the mean is what inference gives.
  Tensor sum = at::zeros_like(still);
  for (uint64_t i = 0; i < 600; ++i) {
    const CallContext context{.training = true, .random = RandomStream(100 + i)};
    sum += layer({x, x}, context).detach();
  }
  EXPECT_LT((sum / 600 - still).abs().max().item<double>(), 0.12);
}

TEST(Attention, DropsScoresInTraining) {
  const Attention layer({.dropout = 0.5});
  const Tensor x = normal(7, {4, 5, 6});
  const CallContext context{.training = true, .random = RandomStream(9)};
  const Tensor output = layer({x, x}, context);
  EXPECT_FALSE(at::allclose(output, layer(x, x)));
}

TEST(Attention, ShapesOfAGraph) {
  const KerasTensor q = Input({4, 6}), v = Input({-1, 7}), k = Input({-1, 6});
  EXPECT_EQ(Attention()({q, v, k}).shape(), (Shape{-1, 4, 7}));
  EXPECT_EQ(Attention()(q, v, {.key = k, .use_causal_mask = true}).shape(), (Shape{-1, 4, 7}));
  EXPECT_EQ(AdditiveAttention()(q, v, {.key = k}).shape(), (Shape{-1, 4, 7}));
  EXPECT_EQ(MultiHeadAttention(2, 3)(q, v).shape(), (Shape{-1, 4, 6}));
  EXPECT_EQ(MultiHeadAttention(2, 3, {.output_shape = {5, 2}})(q, v).shape(), (Shape{-1, 4, 5, 2}));
  EXPECT_EQ(MultiHeadAttention(2, 3).with_scores(q, v, {.key = k}).second.shape(), (Shape{-1, 2, 4, -1}));
  EXPECT_EQ(GroupQueryAttention(3, 4, 2)(q, k).shape(), (Shape{-1, 4, 6}));
  EXPECT_EQ(GroupQueryAttention(3, 4, 2)(q, k).node()->layer->name().substr(0, 23), "grouped_query_attention");
  EXPECT_EQ(MultiHeadAttention(2, 3)(at::empty({0, 4, 6}), at::empty({0, 4, 6})).sizes(),
            (std::vector<int64_t>{0, 4, 6}));
}

TEST(Attention, RefusesWhatCannotWork) {
  const KerasTensor q = Input({4, 6}), v = Input({5, 7});
  expect_refused([] { Attention({.score_mode = "sum"}); }, {"Attention", "score_mode", "'sum'"});
  expect_refused([] { Attention({.dropout = 1}); }, {"Attention", "rate", "1"});
  expect_refused([&] { Attention({.name = "a"})({q, v}); }, {"'a'", "(None, 4, 6)", "(None, 5, 7)"});
  expect_refused([&] { Attention({.name = "a"})(q); }, {"'a'", "query", "value", "1 inputs"});
  expect_refused([&] { Attention({.name = "a"})(q, q, {.attention_mask = q}); }, {"'a'", "attention_mask"});
  expect_refused([] { MultiHeadAttention(0, 2); }, {"MultiHeadAttention", "num_heads", "0"});
  expect_refused([] { MultiHeadAttention(2, 2, {.dropout = 0.1, .flash_attention = true}); }, {"dropout", "flash"});
  expect_refused([&] { MultiHeadAttention(2, 2, {.flash_attention = true, .name = "m"}).with_scores(q, q); },
                 {"'m'", "flash_attention", "scores"});
  expect_refused([&] { MultiHeadAttention(2, 2, {.attention_axes = {2}, .name = "m"})(q, q); },
                 {"'m'", "attention_axes", "[2]"});
  expect_refused(
      [&] {
        MultiHeadAttention(2, 2, {.name = "m"})(q, v, {.key = Input({3, 7})});
      },
      {"'m'", "(None, 3, 7)"});
  expect_refused([] { GroupQueryAttention(2, 3, 2); }, {"num_query_heads", "3", "2"});
  expect_refused([&] { GroupQueryAttention(2, 4, 2, {.name = "g"})(q, v); }, {"'g'", "(None, 5, 7)"});
}

}  // namespace
}  // namespace tandem::layers
