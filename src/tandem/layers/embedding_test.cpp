#include "tandem/layers/embedding.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <limits>

#include "tandem/layers/catalog.h"
#include "tandem/layers/constraints.h"
#include "tandem/layers/input.h"
#include "tandem/layers/keras_case_test.h"
#include "tandem/layers/regularizers.h"

namespace tandem::layers {
namespace {

using namespace tandem::testing;

static_assert(std::is_aggregate_v<EmbeddingOptions>);

TEST(Embedding, MatchesKeras) { EXPECT_EQ(check_cases("embedding"), 4); }

TEST(Embedding, MadeByHandMatchesKeras) {
  expect_matches(Embedding(7, 3), KerasCase("embedding"));
  expect_matches(Embedding(6, 3,
                           {.embeddings_regularizer = regularizers::L2(0.01),
                            .embeddings_constraint = constraints::MaxNorm({.max_value = 1.5, .axis = 1})}),
                 KerasCase("embedding_regularized"));
}

TEST(Embedding, TakesIdsOfAnyType) {
  Embedding layer(5, 3);
  const Tensor ids = at::tensor(std::vector<int64_t>{0, 4, 2, 1}).view({2, 2});
  const Tensor want = layer(ids);
  EXPECT_EQ(want.sizes(), (std::vector<int64_t>{2, 2, 3}));
  const Tensor table = layer.weights()[0].value();
  EXPECT_TRUE(at::equal(want[0][1], table[4]) && at::equal(want[1][0], table[2]));
  for (auto type : {at::kInt, at::kFloat, at::kDouble, at::kByte, at::kShort}) {
    EXPECT_TRUE(at::equal(layer(ids.to(type)), want)) << type;
  }
  // The fraction is dropped.
  EXPECT_TRUE(at::equal(layer(ids.to(at::kFloat) + 0.75), want));
  EXPECT_TRUE(at::equal(layer(at::full({1, 1}, -0.5F))[0][0], table[0]));
}

TEST(Embedding, OneRowAndNone) {
  Embedding layer(5, 3);
  EXPECT_EQ(layer(at::zeros({1, 2}, at::kInt)).sizes(), (std::vector<int64_t>{1, 2, 3}));
  layer.weights()[0].variable().value.requires_grad_(true);
  const Tensor none = layer(at::empty({0, 2}));
  EXPECT_EQ(none.sizes(), (std::vector<int64_t>{0, 2, 3}));
  none.sum().backward();
  EXPECT_TRUE(at::equal(layer.weights()[0].value().grad(), at::zeros({5, 3})));
}

TEST(Embedding, ShapesOfAGraph) {
  EXPECT_EQ(Embedding(10, 4)(Input({-1})).shape(), (Shape{-1, -1, 4}));
  EXPECT_EQ(Embedding(10, 4)(Input({})).shape(), (Shape{-1, 4}));
}

TEST(Embedding, NamesTheRowOfAnIdOutOfRange) {
  Embedding layer(5, 3, {.name = "e"});
  Tensor ids = at::zeros({3, 2}, at::kLong);
  ids[1][1] = 5;
  expect_refused([&] { layer(ids); }, {"'e' (Embedding)", "[0, 5)", "got 5 in row 1"});
  expect_refused([&] { layer(ids.to(at::kInt)); }, {"got 5 in row 1"});
  expect_refused([&] { layer(ids.to(at::kFloat)); }, {"got 5 in row 1"});
  CallContext context;
  context.first_row = 30;  // of the whole batch, however it was divided
  expect_refused([&] { layer(ids, context); }, {"got 5 in row 31"});
  ids[1][1] = 0;
  ids[2][0] = -1;
  expect_refused([&] { layer(ids); }, {"got -1 in row 2"});
  const Tensor nan = at::full({1, 1}, std::numeric_limits<float>::quiet_NaN());
  expect_refused([&] { layer(nan); }, {"got nan in row 0"});
  expect_refused([&] { layer(at::full({1, 1}, 1e20F)); }, {"got 1e+20 in row 0"});
}

TEST(Embedding, RefusesWhatCannotWork) {
  expect_refused([] { Embedding(0, 3); }, {"Embedding", "input_dim", "0"});
  expect_refused([] { Embedding(3, -1); }, {"Embedding", "output_dim", "-1"});
  const auto config = [](const char* more) {
    return Config::from_json(std::string(R"({"input_dim": 3, "output_dim": 2, )") + more + "}");
  };
  expect_refused([&] { layer_from_config("Embedding", config(R"("lora_rank": 2)")); }, {"Embedding", "lora_rank"});
  layer_from_config("Embedding", config(R"("input_length": 7)"));  // Keras 2's, which only told the shape
}

}  // namespace
}  // namespace tandem::layers
