#include "tandem/layers/bidirectional.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/layers/dense.h"
#include "tandem/layers/gru.h"
#include "tandem/layers/input.h"
#include "tandem/layers/keras_case_test.h"
#include "tandem/layers/layer_config.h"
#include "tandem/layers/layer_entry.h"
#include "tandem/layers/lstm.h"
#include "tandem/layers/masks.h"
#include "tandem/layers/recurrent_case_test.h"

namespace tandem::layers {
namespace {

using namespace tandem::testing;

// Its two layers as layers of their own.
std::pair<LayerHandle, LayerHandle> both_ways(const LayerHandle& layer) {
  return {LayerHandle(layer->children()[0]), LayerHandle(layer->children()[1])};
}

TEST(Bidirectional, MergesBothWays) {
  const Tensor x = normal_numbers({3, 5, 2}, 1);
  for (const bool sequences : {false, true}) {
    const auto merged = [&](const std::string& mode) {
      const Bidirectional layer(LSTM(4, {.return_sequences = sequences}), {.merge_mode = mode});
      draw_weights(layer, {{-1, 5, 2}});
      const auto [forward, backward] = both_ways(layer);
      const Tensor a = forward(x), b = sequences ? backward(x).flip(1) : backward(x);
      const Tensors got = layer.call_many(x, {});
      if (mode == "none") {
        EXPECT_EQ(got.size(), 2);
        expect_close(got[1], b, 0, "backward");
        return std::pair(got[0], a);
      }
      EXPECT_EQ(layer(Input({5, 2})).shape().without_batch(), Shape::of(got[0].sizes().vec()).without_batch());
      const Tensor want = mode == "concat" ? at::cat({a, b}, -1)
                          : mode == "sum"  ? a + b
                          : mode == "mul"  ? a * b
                                           : (a + b) / 2;
      return std::pair(got[0], want);
    };
    for (const char* mode : {"concat", "sum", "mul", "ave", "none"}) {
      const auto [got, want] = merged(mode);
      expect_close(got, want, 1e-6, mode);
    }
  }
}

TEST(Bidirectional, StatesOfBothGoInAndOut) {
  const Bidirectional layer(LSTM(4, {.return_state = true}));
  draw_weights(layer, {{-1, 5, 2}});
  std::vector<Tensor> inputs{normal_numbers({3, 5, 2}, 1)};
  for (uint64_t i = 0; i < 4; ++i) inputs.push_back(normal_numbers({3, 4}, 2 + i));
  const Tensors got = layer.call_many(inputs, {});
  const auto [forward, backward] = both_ways(layer);
  const Tensors a = forward.call_many({inputs[0], inputs[1], inputs[2]}, {});
  const Tensors b = backward.call_many({inputs[0], inputs[3], inputs[4]}, {});
  ASSERT_EQ(got.size(), 5);
  for (int64_t i = 1; i < 3; ++i) {
    expect_close(got[i], a[i], 0, "forward state");
    expect_close(got[i + 2], b[i], 0, "backward state");
  }
  expect_refused([&] { layer.call_many({inputs[0], inputs[1]}, {}); }, {"Bidirectional", "both layers", "2 inputs"});
}

// With sequences masked steps give zeros in both directions; without, the last step that counts.
TEST(Bidirectional, MaskedSteps) {
  const Tensor x = normal_numbers({1, 5, 2}, 1);
  set_mask(x, at::tensor({0, 1, 1, 0, 0}).view({1, 5}).to(at::kBool));
  const Tensor counted = x.slice(1, 1, 3);
  const Bidirectional layer(GRU(3, {.return_sequences = true}));
  draw_weights(layer, {{-1, 5, 2}});
  const Tensor got = layer(x);
  EXPECT_TRUE(at::equal(mask_of(got), mask_of(x)));
  expect_close(got.slice(1, 1, 3), layer(counted), 1e-6, "steps that count");
  EXPECT_TRUE(at::equal(got.slice(1, 3), at::zeros({1, 2, 6})));
  EXPECT_TRUE(at::equal(got.slice(1, 0, 1), at::zeros({1, 1, 6})));
  const Bidirectional last(GRU(3));
  draw_weights(last, {{-1, 5, 2}});
  expect_close(last(x), last(counted), 1e-6, "the last");
}

TEST(Bidirectional, NamesPathsAndConfigsAsKerass) {
  const Bidirectional layer(LSTM(4, {.name = "lstm"}), {.merge_mode = "none", .name = "b"});
  layer(Input({5, 2}));
  EXPECT_EQ(layer->children()[0]->name(), "forward_lstm");
  EXPECT_EQ(layer->children()[1]->name(), "backward_lstm");
  EXPECT_EQ(layer->named_children()[0].first, "forward_layer");
  EXPECT_EQ(layer->named_children()[1].first, "backward_layer");
  const Config entry = layer_to_config(*layer);
  EXPECT_TRUE(entry.at("config").at("merge_mode").is_null());
  const LayerHandle read = layer_from_entry(entry);
  EXPECT_EQ(read->children()[0]->name(), "forward_lstm") << "no second prefix";
  EXPECT_EQ(read->get_config().at("backward_layer").at("config"), entry.at("config").at("backward_layer").at("config"));
  EXPECT_EQ(layer->fresh_copy()->fresh_copy()->get_config().at("merge_mode"), Config());
}

TEST(Bidirectional, ABackwardLayerOfItsOwn) {
  const Bidirectional layer(LSTM(4), {.backward_layer = GRU(3, {.go_backwards = true})});
  EXPECT_EQ(layer(Input({5, 2})).shape(), (Shape{-1, 7}));
  EXPECT_EQ(layer.weights().size(), 6U);
}

TEST(Bidirectional, RefusesWhatCannotWork) {
  expect_refused([] { Bidirectional(Dense(3)); }, {"Bidirectional", "recurrent", "Dense"});
  expect_refused([] { Bidirectional(LSTM(3), {.merge_mode = "cat"}); }, {"merge_mode", "cat", "concat"});
  expect_refused([] { Bidirectional(LSTM(3), {.backward_layer = LSTM(3)}); }, {"go_backwards", "false"});
  expect_refused(
      [] { Bidirectional(LSTM(3), {.backward_layer = LSTM(3, {.return_sequences = true, .go_backwards = true})}); },
      {"return_sequences"});
  expect_refused(
      [] {
        Bidirectional(LSTM(3), {.merge_mode = "sum", .backward_layer = LSTM(4, {.go_backwards = true})})(Input({5, 2}));
      },
      {"sum", "(None, 3)", "(None, 4)"});
}

}  // namespace
}  // namespace tandem::layers
