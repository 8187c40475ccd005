#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/layers/conv_lstm1d.h"
#include "tandem/layers/conv_lstm2d.h"
#include "tandem/layers/conv_lstm3d.h"
#include "tandem/layers/input.h"
#include "tandem/layers/keras_case_test.h"
#include "tandem/layers/lstm.h"
#include "tandem/layers/recurrent_case_test.h"

namespace tandem::layers {
namespace {

using namespace tandem::testing;

// A kernel of one place sees nothing of its neighbours: each place is an LSTM of its own.
template <class Handle>
void expect_an_lstm_at_each_place(const Handle& layer, const Shape& places) {
  std::vector<int64_t> sizes{2, 5};
  sizes.insert(sizes.end(), places.begin(), places.end());
  sizes.push_back(3);
  const Tensor x = normal_numbers(Shape::of(sizes), 1);
  draw_weights(layer, {Shape::of(sizes)});
  const LSTM lstm(4, {.return_sequences = true});
  lstm->ensure_built({{-1, 5, 3}});
  const auto from = layer.weights(), to = lstm.weights();
  for (std::size_t i = 0; i < 3; ++i) to[i].assign(from[i].value().reshape(to[i].shape().sizes()));
  const Tensor by_place = x.flatten(2, -2).permute({0, 2, 1, 3}).flatten(0, 1);  // (rows * places, steps, in)
  Tensor want = lstm(by_place).unflatten(0, {2, places.count()}).permute({0, 2, 1, 3});
  sizes.back() = 4;
  expect_close(layer(x), want.reshape(sizes), 1e-5, layer->class_name());
}

TEST(ConvLSTM, OfOnePlaceIsAnLstm) {
  expect_an_lstm_at_each_place(ConvLSTM1D(4, 1, {.return_sequences = true}), {6});
  expect_an_lstm_at_each_place(ConvLSTM2D(4, 1, {.return_sequences = true}), {2, 3});
  expect_an_lstm_at_each_place(ConvLSTM3D(4, 1, {.return_sequences = true}), {2, 1, 3});
}

TEST(ConvLSTM, StatesMasksOrderAndStrides) {
  const ConvLSTM2D layer(3, {2, 3}, {.strides = 2, .padding = "same", .return_state = true});
  const auto outputs = layer.outputs(Input({4, 5, 6, 2}));
  ASSERT_EQ(outputs.size(), 3U);
  for (const auto& t : outputs) EXPECT_EQ(t.shape(), (Shape{-1, 3, 3, 3}));
  draw_weights(layer, {});
  const Tensor x = normal_numbers({2, 4, 5, 6, 2}, 1);
  const Tensors whole = layer.call_many(x, {});
  const Tensors first = layer.call_many(x.slice(1, 0, 2), {});
  const Tensors second = layer.call_many({x.slice(1, 2), first[1], first[2]}, {});
  for (int64_t i = 0; i < 3; ++i) expect_close(second[i], whole[i], 1e-6, "in two parts");
}

TEST(ConvLSTM, DropoutDoesNotDependOnHowTheBatchIsDivided) {
  const ConvLSTM1D layer(3, 2, {.dropout = 0.3, .recurrent_dropout = 0.3});
  draw_weights(layer, {{-1, 3, 5, 2}});
  const auto context = [](int64_t first_row) {
    return CallContext{.training = true, .random = RandomStream(1), .first_row = first_row};
  };
  const Tensor x = normal_numbers({6, 3, 5, 2}, 1), whole = layer(x, context(0));
  const Tensor parts = at::cat({layer(x.slice(0, 0, 2), context(0)), layer(x.slice(0, 2), context(2))});
  expect_close(parts, whole, 1e-6, "divided");
  EXPECT_FALSE(at::allclose(layer(x), whole));
}

TEST(ConvLSTM, RefusesWhatCannotWork) {
  expect_refused([] { ConvLSTM2D(0, 3); }, {"filters", "positive", "0"});
  expect_refused([] { ConvLSTM2D(3, 3, {.strides = 2, .dilation_rate = 2}); }, {"strides", "dilation_rate"});
  expect_refused([] { ConvLSTM2D(3, 3)(Input({4, -1, 6, 2})); }, {"height, width", "known"});
  expect_refused([] { ConvLSTM1D(3, 7)(Input({4, 5, 2})); }, {"at least as large as the kernel"});
}

}  // namespace
}  // namespace tandem::layers
