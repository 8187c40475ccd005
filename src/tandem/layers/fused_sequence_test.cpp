// LSTM, GRU and SimpleRNN as one operation of autograd, against the same step by step and against PyTorch's own.
#include "tandem/layers/fused_sequence.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "tandem/layers/gru.h"
#include "tandem/layers/keras_case_test.h"
#include "tandem/layers/lstm.h"
#include "tandem/layers/recurrent_case_test.h"
#include "tandem/layers/simple_rnn.h"

namespace tandem::layers {
namespace {

using namespace tandem::testing;

class StepByStep {
 public:
  StepByStep() { set_fused_sequences(false); }
  ~StepByStep() { set_fused_sequences(true); }
};

void expect_as_step_by_step(const LayerHandle& layer, const std::vector<Tensor>& inputs, const Tensor& mask = {},
                            const CallContext& context = {.training = true, .random = RandomStream(3)}) {
  const CallResult fused = call_and_go_back(layer, inputs, context, mask);
  const StepByStep plain;
  expect_equal(fused, call_and_go_back(layer, inputs, context, mask), 1e-5);
}

// Padding before, after and between, a row without a step that counts, and one that counts throughout.
Tensor mask_of_all_kinds() {
  return at::tensor({0, 0, 1, 1, 1, 1, 1, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1})
      .view({5, 5})
      .to(at::kBool);
}

template <class Handle, class Options>
void expect_all_settings(int64_t states) {
  const Tensor x = normal_numbers({5, 5, 3}, 1);
  std::vector<Tensor> given{x};
  for (int64_t i = 0; i < states; ++i) given.push_back(normal_numbers({5, 4}, 20 + static_cast<uint64_t>(i)));
  for (const bool sequences : {false, true}) {
    for (const bool backwards : {false, true}) {
      for (const bool zero : {false, true}) {
        for (const bool bias : {false, true}) {
          Options options;
          options.use_bias = bias;
          options.return_sequences = sequences;
          options.return_state = sequences != backwards;
          options.go_backwards = backwards;
          options.zero_output_for_mask = zero;
          const Handle layer(4, options);
          draw_weights(layer, {{-1, 5, 3}});
          SCOPED_TRACE(layer->get_config().to_json());
          expect_as_step_by_step(layer, {x});
          expect_as_step_by_step(layer, given);
          expect_as_step_by_step(layer, {x}, mask_of_all_kinds());
          expect_as_step_by_step(layer, given, mask_of_all_kinds());
        }
      }
    }
  }
}

TEST(FusedSequence, LstmIsTheSameStepByStep) { expect_all_settings<LSTM, LSTMOptions>(2); }
TEST(FusedSequence, GruIsTheSameStepByStep) { expect_all_settings<GRU, GRUOptions>(1); }

TEST(FusedSequence, SimpleRnnIsTheSameStepByStep) { expect_all_settings<SimpleRNN, SimpleRNNOptions>(1); }

TEST(FusedSequence, LargerOnesOnSeveralThreads) {
  const LSTM lstm(70, {.return_sequences = true});
  draw_weights(lstm, {{-1, 9, 20}});
  expect_as_step_by_step(lstm, {normal_numbers({130, 9, 20}, 1)});
  const GRU gru(70, {.return_sequences = true});
  draw_weights(gru, {{-1, 9, 20}});
  expect_as_step_by_step(gru, {normal_numbers({130, 9, 20}, 1)});
}

TEST(FusedSequence, WithDropoutOfTheInputs) {
  for (const int64_t implementation : {1, 2}) {
    const LSTM lstm(4, {.dropout = 0.4, .return_sequences = true, .implementation = implementation});
    draw_weights(lstm, {{-1, 5, 3}});
    expect_as_step_by_step(lstm, {normal_numbers({6, 5, 3}, 1)});
  }
}

TEST(FusedSequence, OnlyTheOutputsThatAreUsedHaveGradients) {
  const LSTM lstm(4, {.return_sequences = true, .return_state = true});
  draw_weights(lstm, {{-1, 5, 3}});
  const auto gradient = [&](int64_t used) {
    const Tensor x = normal_numbers({2, 5, 3}, 1).requires_grad_(true);
    lstm.call_many(x, {})[used].sum().backward();
    return x.grad();
  };
  for (int64_t used = 0; used < 3; ++used) {
    const Tensor fused = gradient(used);
    const StepByStep plain;
    expect_close(fused, gradient(used), 1e-5, "gradient of x");
  }
}

// PyTorch: weights (gates * units, in), gates of the LSTM in the same order, those of the GRU as r, z, n.
Tensor gates_of_pytorch(const Tensor& kernel, bool gru) {
  if (!gru) return kernel.t();
  const auto parts = kernel.chunk(3, -1);
  return at::cat({parts[1], parts[0], parts[2]}, -1).t();
}

TEST(FusedSequence, LstmIsPyTorchs) {
  const LSTM layer(6, {.return_sequences = true, .return_state = true});
  draw_weights(layer, {{-1, 7, 4}});
  const Tensor x = normal_numbers({3, 7, 4}, 1), h = normal_numbers({3, 6}, 2), c = normal_numbers({3, 6}, 3);
  const auto w = layer.weights();
  const std::vector<Tensor> weights{gates_of_pytorch(w[0].value(), false), gates_of_pytorch(w[1].value(), false),
                                    w[2].value(), at::zeros({24})};
  // torch.nn.LSTM's own call
  const auto [outputs, last_h, last_c] =
      at::lstm(x, {h.unsqueeze(0), c.unsqueeze(0)}, weights, true, 1, 0.0, false, false, true);
  const Tensors got = layer.call_many({x, h, c}, {});
  expect_close(got[0], outputs, 1e-6, "outputs");
  expect_close(got[1], last_h[0], 1e-6, "h");
  expect_close(got[2], last_c[0], 1e-6, "c");
}

TEST(FusedSequence, GruIsPyTorchs) {
  const GRU layer(6, {.return_sequences = true, .return_state = true});
  draw_weights(layer, {{-1, 7, 4}});
  const Tensor x = normal_numbers({3, 7, 4}, 1), h = normal_numbers({3, 6}, 2);
  const auto w = layer.weights();
  const auto bias = [&](int64_t i) { return gates_of_pytorch(w[2].value()[i].unsqueeze(0), true).flatten(); };
  const std::vector<Tensor> weights{gates_of_pytorch(w[0].value(), true), gates_of_pytorch(w[1].value(), true), bias(0),
                                    bias(1)};
  // torch.nn.GRU's own call
  const auto [outputs, last] = at::gru(x, h.unsqueeze(0), weights, true, 1, 0.0, false, false, true);
  const Tensors got = layer.call_many({x, h}, {});
  expect_close(got[0], outputs, 1e-6, "outputs");
  expect_close(got[1], last[0], 1e-6, "h");
}

TEST(FusedSequence, GradientsOfGradientsAreRefusedOrHadStepByStep) {
  const LSTM layer(3);
  draw_weights(layer, {{-1, 4, 2}});
  const auto penalty = [&] {
    const Tensor x = normal_numbers({2, 4, 2}, 1).requires_grad_(true);
    const auto gradients = torch::autograd::grad({layer(x).sum()}, {x}, {}, std::nullopt, /*create_graph=*/true);
    gradients[0].square().sum().backward();
    return x.grad();
  };
  expect_refused([&] { penalty(); }, {"gradients of gradients", "LSTM", "set_fused_sequences(false)"});
  const StepByStep plain;
  EXPECT_TRUE(penalty().abs().sum().item<double>() > 0);
}

// Backward a second time over the same forward pass: nothing of it was used up.
TEST(FusedSequence, CanGoBackTwice) {
  const GRU layer(3);
  draw_weights(layer, {{-1, 4, 2}});
  const Tensor x = normal_numbers({2, 4, 2}, 1).requires_grad_(true);
  const Tensor loss = layer(x).sum();
  const auto once = torch::autograd::grad({loss}, {x}, {}, /*retain_graph=*/true);
  const auto again = torch::autograd::grad({loss}, {x});
  EXPECT_TRUE(at::equal(once[0], again[0]));
}

}  // namespace
}  // namespace tandem::layers
