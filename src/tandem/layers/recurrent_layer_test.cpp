// What RNN, SimpleRNN, GRU and LSTM do around their cells.
#include "tandem/layers/recurrent_layer.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/layers/gru.h"
#include "tandem/layers/input.h"
#include "tandem/layers/keras_case_test.h"
#include "tandem/layers/layer_config.h"
#include "tandem/layers/lstm.h"
#include "tandem/layers/masks.h"
#include "tandem/layers/recurrent_case_test.h"
#include "tandem/layers/simple_rnn.h"

namespace tandem::layers {
namespace {

using namespace tandem::testing;

CallContext random_call(uint64_t key, int64_t first_row = 0) {
  return {.training = true, .random = RandomStream(key), .first_row = first_row};
}

TEST(SimpleRNN, IsItsFormula) {
  const SimpleRNN layer(3, {.return_sequences = true, .return_state = true});
  draw_weights(layer, {{-1, 4, 2}});
  const auto w = layer.weights();
  const Tensor x = normal_numbers({5, 4, 2}, 1);
  Tensor h = normal_numbers({5, 3}, 2);
  const Tensors got = layer.call_many({x, h}, {});
  for (int64_t t = 0; t < 4; ++t) {
    h = at::tanh(at::matmul(x.select(1, t), w[0].value()) + at::matmul(h, w[1].value()) + w[2].value());
    expect_close(got[0].select(1, t), h, 1e-6, "step");
  }
  expect_close(got[1], h, 1e-6, "state");
}

TEST(GRU, ResetBeforeIsItsFormula) {
  const GRU layer(3, {.reset_after = false});
  draw_weights(layer, {{-1, 4, 2}});
  const auto w = layer.weights();
  EXPECT_EQ(w[2].shape(), (Shape{9}));
  const Tensor x = normal_numbers({5, 4, 2}, 1);
  Tensor h = at::zeros({5, 3});
  const auto kernels = w[0].value().chunk(3, 1), recurrent = w[1].value().chunk(3, 1), bias = w[2].value().chunk(3);
  for (int64_t t = 0; t < 4; ++t) {
    const auto input = [&](std::size_t gate) { return at::matmul(x.select(1, t), kernels[gate]) + bias[gate]; };
    const Tensor z = at::sigmoid(input(0) + at::matmul(h, recurrent[0]));
    const Tensor r = at::sigmoid(input(1) + at::matmul(h, recurrent[1]));
    h = z * h + (1 - z) * at::tanh(input(2) + at::matmul(r * h, recurrent[2]));
  }
  expect_close(layer(x), h, 1e-6, "output");
}

TEST(Recurrent, BackwardsIsTheReversedSequence) {
  const LSTM forward(3, {.return_sequences = true}), backward(3, {.return_sequences = true, .go_backwards = true});
  draw_weights(forward, {{-1, 6, 2}});
  draw_weights(backward, {{-1, 6, 2}});
  const Tensor x = normal_numbers({2, 6, 2}, 1);
  expect_close(backward(x), forward(x.flip(1)), 1e-6, "sequence");
}

// Keras: a masked step keeps the states and repeats the last output, zeros before the first; the state stays what was
// given.
TEST(Recurrent, MasksKeepStatesAndRepeatOutputs) {
  for (const LayerHandle& layer :
       std::vector<LayerHandle>{SimpleRNN(3, {.return_sequences = true, .return_state = true}),
                                GRU(3, {.return_sequences = true, .return_state = true, .reset_after = false})}) {
    SCOPED_TRACE(layer->class_name());
    draw_weights(layer, {{-1, 5, 2}});
    const Tensor x = normal_numbers({1, 5, 2}, 1), h = normal_numbers({1, 3}, 2);
    set_mask(x, at::tensor({0, 1, 0, 1, 0}).view({1, 5}).to(at::kBool));
    const Tensors got = layer.call_many({x, h}, {});
    const Tensors short_one = layer.call_many({x.index_select(1, at::tensor({1, 3})), h}, {});
    EXPECT_TRUE(at::equal(got[0][0][0], at::zeros({3}))) << "before the first step that counts";
    for (const auto& [step, counted] : std::vector<std::pair<int64_t, int64_t>>{{1, 0}, {2, 0}, {3, 1}, {4, 1}})
      expect_close(got[0][0][step], short_one[0][0][counted], 1e-6, "step " + std::to_string(step));
    expect_close(got[1], short_one[1], 1e-6, "state");
    EXPECT_TRUE(at::equal(mask_of(got[0]), mask_of(x))) << "sequences hand the mask on";
    EXPECT_FALSE(mask_of(got[1]).defined());
  }
}

TEST(Recurrent, OnlySequencesHaveMasks) {
  const LSTM layer(3);
  const Tensor x = normal_numbers({2, 4, 2}, 1);
  set_mask(x, at::ones({2, 4}, at::kBool));
  EXPECT_FALSE(mask_of(layer(x)).defined());
}

TEST(Recurrent, NothingCountsThenTheOutputIsZeroAndTheStateIsKept) {
  const LSTM layer(3, {.return_state = true});
  const Tensor x = normal_numbers({2, 4, 2}, 1), h = normal_numbers({2, 3}, 2), c = normal_numbers({2, 3}, 3);
  set_mask(x, at::zeros({2, 4}, at::kBool));
  const Tensors got = layer.call_many({x, h, c}, {});
  EXPECT_TRUE(at::equal(got[0], at::zeros({2, 3})));
  EXPECT_TRUE(at::equal(got[1], h));
  EXPECT_TRUE(at::equal(got[2], c));
}

TEST(Recurrent, DropoutDoesNotDependOnHowTheBatchIsDivided) {
  const Tensor x = normal_numbers({10, 3, 4}, 1);
  for (const LayerHandle& layer : std::vector<LayerHandle>{
           LSTM(5, {.dropout = 0.4}), LSTM(5, {.recurrent_dropout = 0.4}),
           LSTM(5, {.dropout = 0.3, .implementation = 1}), GRU(5, {.dropout = 0.3, .recurrent_dropout = 0.3}),
           GRU(5, {.recurrent_dropout = 0.3, .reset_after = false}),
           SimpleRNN(5, {.dropout = 0.3, .recurrent_dropout = 0.3, .seed = 4})}) {
    SCOPED_TRACE(layer->get_config().to_json());
    draw_weights(layer, {{-1, 3, 4}});
    const Tensor whole = layer(x, random_call(3));
    for (const int64_t cut : {1, 6}) {
      const Tensor parts =
          at::cat({layer(x.slice(0, 0, cut), random_call(3)), layer(x.slice(0, cut), random_call(3, cut))});
      expect_close(parts, whole, 1e-6, "divided");
    }
    EXPECT_FALSE(at::allclose(layer(x, random_call(4)), whole));
    EXPECT_FALSE(at::allclose(layer(x), whole)) << "inference drops nothing";
    expect_close(layer(x, random_call(3)), whole, 0, "the same draws");
  }
}

// The same features are dropped at every step: with a kernel of ones and no recurrence a step's output is the sum of
// what is left.
TEST(Recurrent, DropoutIsTheSameAtEveryStep) {
  const SimpleRNN layer(1, {.activation = "linear",
                            .use_bias = false,
                            .kernel_initializer = "ones",
                            .recurrent_initializer = "zeros",
                            .dropout = 0.5,
                            .return_sequences = true});
  const Tensor out = layer(at::ones({40, 3, 8}), random_call(1));
  EXPECT_TRUE(at::equal(out.select(1, 0), out.select(1, 1)));
  EXPECT_TRUE(at::equal(out.select(1, 0), out.select(1, 2)));
  EXPECT_GT(out.select(1, 0).std().item<double>(), 0);
}

TEST(Recurrent, ShapesOfOutputs) {
  const auto shapes = [](const LayerHandle& layer) {
    std::vector<std::string> all;
    for (const auto& t : layer.outputs(Input({7, 3}))) all.push_back(t.shape().to_string());
    return all;
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(shapes(LSTM(5)), (Texts{"(None, 5)"}));
  EXPECT_EQ(shapes(LSTM(5, {.return_sequences = true, .return_state = true})),
            (Texts{"(None, 7, 5)", "(None, 5)", "(None, 5)"}));
  EXPECT_EQ(shapes(GRU(5, {.return_state = true})), (Texts{"(None, 5)", "(None, 5)"}));
  EXPECT_EQ(LSTM(4)(Input({-1, 3})).shape(), (Shape{-1, 4})) << "any number of steps";
}

TEST(Recurrent, WeightsAsKerass) {
  const LSTM lstm(4);
  lstm(Input({7, 3}));
  const auto w = lstm.weights();
  ASSERT_EQ(w.size(), 3U);
  EXPECT_EQ(w[0].name(), "kernel");
  EXPECT_EQ(w[1].name(), "recurrent_kernel");
  EXPECT_EQ(w[1].shape(), (Shape{4, 16}));
  const Tensor bias = at::cat({at::zeros({4}), at::ones({4}), at::zeros({8})});
  EXPECT_TRUE(at::equal(w[2].value(), bias)) << "the forget gate's bias begins at 1";
  const Tensor product = at::matmul(w[1].value(), w[1].value().t());
  expect_close(product, at::eye(4), 1e-5, "the recurrent kernel's rows are orthonormal");
  const GRU gru(4);
  gru(Input({7, 3}));
  EXPECT_EQ(gru.weights()[2].shape(), (Shape{2, 12}));
  const LSTM plain(4, {.use_bias = false});
  plain(Input({7, 3}));
  EXPECT_EQ(plain.weights().size(), 2U);
}

TEST(Recurrent, CopiesAreNewAndAlike) {
  const LSTM layer(4, {.return_sequences = true, .name = "l"});
  layer(Input({7, 3}));
  const auto copy = layer->fresh_copy();
  EXPECT_FALSE(copy->built());
  EXPECT_EQ(copy->get_config(), layer->get_config());
  EXPECT_EQ(copy->fresh_copy()->name(), "l") << "a copy of a copy";
}

TEST(Recurrent, RefusesWhatCannotWork) {
  expect_refused([] { LSTM(0); }, {"LSTM", "units", "positive", "0"});
  expect_refused([] { GRU(3, {.dropout = 1}); }, {"GRU", "dropout", "[0, 1)", "1"});
  expect_refused([] { SimpleRNN(3, {.recurrent_dropout = -0.1}); }, {"SimpleRNN", "recurrent_dropout", "-0.1"});
  expect_refused([] { LSTM(3, {.activation = "tanhh"}); }, {"tanhh", "tanh"});
  expect_refused([] { LSTM(3, {.name = "l"})(Input({4})); }, {"'l'", "(batch, steps, features)", "(None, 4)"});
  const LSTM layer(3, {.name = "l"});
  layer(Input({4, 2}));
  expect_refused([&] { layer(at::zeros({2, 4, 5})); }, {"'l'", "(None, None, 2)", "(2, 4, 5)"});
  expect_refused([&] { layer(at::zeros({2, 0, 2})); }, {"'l'", "one step"});
  expect_refused([&] { layer({at::zeros({2, 4, 2}), at::zeros({2, 3})}); }, {"'l'", "2 initial states", "1"});
  expect_refused(
      [&] {
        layer({at::zeros({2, 4, 2}), at::zeros({2, 3}), at::zeros({2, 4})});
      },
      {"'l'", "initial state 1", "(2, 3)", "(2, 4)"});
}

}  // namespace
}  // namespace tandem::layers
