// RNN of a cell: built in, stacked, a user's own.
#include "tandem/layers/rnn.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/layers/dense.h"
#include "tandem/layers/gru_cell.h"
#include "tandem/layers/input.h"
#include "tandem/layers/keras_case_test.h"
#include "tandem/layers/layer_config.h"
#include "tandem/layers/layer_entry.h"
#include "tandem/layers/lstm.h"
#include "tandem/layers/lstm_cell.h"
#include "tandem/layers/masks.h"
#include "tandem/layers/recurrent_case_test.h"
#include "tandem/layers/recurrent_cell.h"
#include "tandem/layers/simple_rnn_cell.h"
#include "tandem/layers/stacked_rnn_cells.h"

namespace tandem::layers {
namespace {

using namespace tandem::testing;

TEST(RNN, OfACellIsItsLayer) {
  const RNN rnn(LSTMCell(3), {.return_sequences = true});
  const LSTM lstm(3, {.return_sequences = true});
  draw_weights(rnn, {{-1, 5, 2}});
  draw_weights(lstm, {{-1, 5, 2}});
  const Tensor x = normal_numbers({4, 5, 2}, 1);
  expect_close(rnn(x), lstm(x), 0, "outputs");
}

TEST(RNN, ACellAloneMakesOneStep) {
  const LSTMCell cell(3);
  draw_weights(cell, {{-1, 2}, {-1, 3}, {-1, 3}});
  const RNN rnn(cell, {.return_state = true});
  const Tensor x = normal_numbers({4, 1, 2}, 1), h = normal_numbers({4, 3}, 2), c = normal_numbers({4, 3}, 3);
  const Tensors one = cell.call_many({x.select(1, 0), h, c}, {}), all = rnn.call_many({x, h, c}, {});
  ASSERT_EQ(one.size(), 3);
  for (int64_t i = 0; i < 3; ++i) expect_close(all[i], one[i], 1e-6, "output " + std::to_string(i));
  EXPECT_EQ(cell.outputs({Input({2}), Input({3}), Input({3})})[2].shape(), (Shape{-1, 3}));
  expect_refused([&] { cell.call_many({x.select(1, 0), h}, {}); }, {"LSTMCell", "2 states", "2 tensors"});
}

// A leaky sum of its inputs and a count of its steps: {output, state, steps}.
struct LeakySum : RecurrentCell {
  explicit LeakySum(double leak = 0.5) : leak(leak) {}
  void build(const Shape& input) override { scale = add_weight("scale", {input.back()}, {.initializer = "ones"}); }
  Shapes state_shapes() const override { return {scale.shape(), {1}}; }
  Tensors step(const Tensor& x, const Tensors& states, const CallContext&) override {
    const Tensor sum = states[0] * leak + x * scale.value();
    return {sum * 10, sum, states[1] + 1};
  }
  double leak;
  Weight scale;
};

TEST(RNN, OfAProgramsOwnCell) {
  const RNN rnn(make_layer<LeakySum>(0.5), {.return_state = true});
  const auto outputs = rnn.outputs(Input({3, 2}));
  ASSERT_EQ(outputs.size(), 3U);
  EXPECT_EQ(outputs[2].shape(), (Shape{-1, 1}));
  EXPECT_EQ(rnn.weights().size(), 1U);
  const Tensor x = at::tensor({1.0F, 0.0F, 2.0F, 4.0F, 3.0F, 8.0F}).view({1, 3, 2});
  const Tensors got = rnn.call_many(x, {});
  // 1/4 + 2/2 + 3 and 0 + 4/2 + 8
  EXPECT_TRUE(at::equal(got[0], at::tensor({42.5F, 100.0F}).view({1, 2})));
  EXPECT_EQ(got[2].item<float>(), 3);
  set_mask(x, at::tensor({1, 0, 1}).view({1, 3}).to(at::kBool));
  const Tensors masked = rnn.call_many(x, {});
  EXPECT_TRUE(at::equal(masked[1], at::tensor({3.5F, 8.0F}).view({1, 2})));
  EXPECT_EQ(masked[2].item<float>(), 2);
  EXPECT_NE(rnn->fresh_copy()->children()[0], rnn->children()[0]) << "a copy has a cell of its own";
}

TEST(RNN, StackedCellsAreLayersOneBehindTheOther) {
  const RNN stacked(StackedRNNCells({LSTMCell(4), GRUCell(3), SimpleRNNCell(2)}),
                    {.return_sequences = true, .return_state = true, .zero_output_for_mask = true});
  draw_weights(stacked, {{-1, 5, 2}});
  const RNN a(stacked->children()[0]->children()[0], {.return_sequences = true, .return_state = true});
  const RNN b(stacked->children()[0]->children()[1], {.return_sequences = true, .return_state = true});
  const RNN c(stacked->children()[0]->children()[2],
              {.return_sequences = true, .return_state = true, .zero_output_for_mask = true});
  const Tensor x = normal_numbers({3, 5, 2}, 1);
  for (const bool masked : {false, true}) {
    if (masked) set_mask(x, at::tensor({0, 1, 1, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 1}).view({3, 5}).to(at::kBool));
    const Tensors got = stacked.call_many(x, {}), first = a.call_many(x, {}), second = b.call_many(first[0], {}),
                  third = c.call_many(second[0], {});
    ASSERT_EQ(got.size(), 5);
    expect_close(got[0], third[0], 1e-6, "outputs");
    expect_close(got[1], first[1], 1e-6, "h of the LSTM");
    expect_close(got[2], first[2], 1e-6, "c of the LSTM");
    expect_close(got[3], second[1], 1e-6, "state of the GRU");
    expect_close(got[4], third[1], 1e-6, "state of the SimpleRNN");
  }
}

TEST(RNN, PathsAndConfigsAsKerass) {
  const RNN rnn(StackedRNNCells({GRUCell(3), GRUCell(2)}), {.name = "r"});
  rnn(Input({5, 2}));
  EXPECT_EQ(rnn->named_children()[0].first, "cell");
  const auto cells = rnn->children()[0]->named_children();
  EXPECT_EQ(cells[0].first, "cells/gru_cell");
  EXPECT_EQ(cells[1].first, "cells/gru_cell_1");
  const Config entry = layer_to_config(*rnn);
  const LayerHandle read = layer_from_entry(entry);
  read->ensure_built({{-1, 5, 2}});
  EXPECT_EQ(read->get_config().at("cell").at("config"), entry.at("config").at("cell").at("config"));
  EXPECT_EQ(read->name(), "r");
}

TEST(RNN, RefusesWhatIsNoCell) {
  expect_refused([] { RNN(Dense(3)); }, {"RNN", "cell", "Dense"});
  expect_refused([] { StackedRNNCells({}); }, {"StackedRNNCells", "at least one"});
  expect_refused([] { StackedRNNCells({LSTMCell(3), Dense(3)}); }, {"StackedRNNCells", "Dense"});
  const LSTMCell cell(3);
  expect_refused([&] { StackedRNNCells({cell, cell}); }, {"StackedRNNCells", "twice"});
}

}  // namespace
}  // namespace tandem::layers
