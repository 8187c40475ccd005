// Writes models that real Keras opens and trains on (tests/conformance/go_on_with_keras.py), to the folder that
// TANDEM_WRITE_FILES names or to one that goes again: NAME.keras after six steps, NAME.x.npy, NAME.y.npy,
// NAME.output.npy, and NAME.losses.npy of 20 steps more; the same model as NAME.h5, and NAME.h5.losses.npy of 20 steps
// more with a new optimizer, since Keras reads none from there.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "tandem/core/random.h"
#include "tandem/data/npy.h"
#include "tandem/layers/add.h"
#include "tandem/layers/additive_attention.h"
#include "tandem/layers/attention.h"
#include "tandem/layers/batch_normalization.h"
#include "tandem/layers/bidirectional.h"
#include "tandem/layers/conv2d.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/dropout.h"
#include "tandem/layers/flatten.h"
#include "tandem/layers/global_average_pooling1d.h"
#include "tandem/layers/group_query_attention.h"
#include "tandem/layers/gru.h"
#include "tandem/layers/gru_cell.h"
#include "tandem/layers/input.h"
#include "tandem/layers/layer_normalization.h"
#include "tandem/layers/lstm.h"
#include "tandem/layers/multi_head_attention.h"
#include "tandem/layers/ops.h"
#include "tandem/layers/rnn.h"
#include "tandem/layers/simple_rnn_cell.h"
#include "tandem/layers/stacked_rnn_cells.h"
#include "tandem/layers/subtract.h"
#include "tandem/layers/time_distributed.h"
#include "tandem/model/load_model.h"
#include "tandem/optimizers/adagrad.h"
#include "tandem/optimizers/adam.h"
#include "tandem/optimizers/adamax.h"
#include "tandem/optimizers/adamw.h"
#include "tandem/optimizers/exponential_decay.h"
#include "tandem/optimizers/lion.h"
#include "tandem/optimizers/loss_scale_optimizer.h"
#include "tandem/optimizers/rmsprop.h"
#include "tandem/optimizers/sgd.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/npy.h"
#include "tandem/testing/temporary_folder.h"

namespace tandem {
namespace {

using namespace layers;

// Trains a model, writes it, its data and how it goes on.
class WriteModelsForKeras : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder); }

  // `as_h5`: in Keras 2's form, too, which has no operations.
  void write(const std::string& name, Model model, const Handle<Optimizer>& optimizer, const Tensor& x, const Tensor& y,
             bool as_h5 = true) {
    model.compile({.optimizer = optimizer, .loss = "mse", .metrics = {"mae"}});
    if (x.dim() == 4)  // images
      model.set_preprocessing(data::Preprocessing::fit_mean(data::TensorDataset(at::zeros_like(x))));
    model.fit(x, y, {.batch_size = 3, .epochs = 3, .verbose = 0, .shuffle = false});
    const std::string stem = folder + "/" + name;
    model.save(stem + ".keras");
    save_npy(stem + ".x.npy", x);
    save_npy(stem + ".y.npy", y);
    save_npy(stem + ".output.npy", model.predict(x));
    const auto write_losses = [&](Model& trained, const std::string& file) {
      std::vector<double> losses;
      for (int64_t i = 0; i < 20; ++i) losses.push_back(trained.train_on_batch(x, y)["loss"]);
      save_npy(file, at::tensor(losses));
    };
    const auto expect_same = [&](const std::string& file) {
      EXPECT_TRUE(at::equal(load_model(file).predict(x), testing::load_npy(stem + ".output.npy"))) << file;
    };
    expect_same(stem + ".keras");
    if (as_h5) {
      model.save(stem + ".h5");
      expect_same(stem + ".h5");
      Model anew = load_model(stem + ".h5");
      anew.set_preprocessing({});  // of zeros; Keras has none
      anew.compile({.optimizer = optimizer, .loss = "mse", .metrics = {"mae"}});
      write_losses(anew, stem + ".h5.losses.npy");
    } else {
      EXPECT_NE(testing::message_of([&] { model.save(stem + ".h5"); }).find("operation"), std::string::npos);
    }
    write_losses(model, stem + ".losses.npy");
  }

  const testing::TemporaryFolder scratch;
  const char* chosen = std::getenv("TANDEM_WRITE_FILES");
  const std::string folder = chosen ? chosen : scratch.path().string();
};

TEST_F(WriteModelsForKeras, AndGoOn) {
  const std::vector<std::pair<std::string, Handle<Optimizer>>> optimizers{
      {"adam", optimizers::Adam({.learning_rate = 0.03})},
      {"adam_amsgrad", optimizers::Adam({.learning_rate = 0.01, .amsgrad = true, .clipnorm = 1.0})},
      {"adam_schedule", optimizers::Adam({.learning_rate = schedules::ExponentialDecay(0.05, 10, 0.7)})},
      {"sgd_momentum", optimizers::SGD({.learning_rate = 0.05, .momentum = 0.9, .nesterov = true})},
      {"rmsprop", optimizers::RMSprop({.learning_rate = 0.01, .momentum = 0.5, .centered = true})},
      {"adamw", optimizers::AdamW({.learning_rate = 0.01, .weight_decay = 0.02})},
      {"adadelta", "adadelta"},
      {"adagrad", optimizers::Adagrad({.learning_rate = 0.1})},
      {"adamax", optimizers::Adamax({.learning_rate = 0.01})},
      {"lion", optimizers::Lion({.learning_rate = 0.002})},
      {"sgd_accumulation", optimizers::SGD({.learning_rate = 0.05, .momentum = 0.9, .gradient_accumulation_steps = 4})},
      {"adam_accumulation", optimizers::Adam({.learning_rate = 0.02, .gradient_accumulation_steps = 2})},
      {"loss_scale", optimizers::LossScaleOptimizer(optimizers::SGD({.learning_rate = 0.05}),
                                                    {.initial_scale = 64, .dynamic_growth_steps = 2})}};
  set_random_seed(3);
  const Tensor x = at::arange(96, at::kFloat).reshape({6, 4, 4}).sin().unsqueeze(3),
               y = at::arange(12, at::kFloat).reshape({6, 2}).cos();
  for (const auto& [name, optimizer] : optimizers) {
    write(name,
          Sequential({Input({4, 4, 1}), Conv2D(3, {3, 3}, {.activation = "relu"}), BatchNormalization(), Flatten(),
                      Dense(4, {.activation = "tanh"}), Dropout(0.0), Dense(2)}),
          optimizer, x, y);
  }
}

TEST_F(WriteModelsForKeras, RecurrentOnesAndGoOn) {
  set_random_seed(4);
  const Tensor x = at::arange(90, at::kFloat).reshape({6, 5, 3}).sin(),
               y = at::arange(12, at::kFloat).reshape({6, 2}).cos();
  const auto source = Input({5, 3});
  const auto encoded = LSTM(4, {.return_state = true}).outputs(source);
  const auto decoded =
      Bidirectional(LSTM(4, {.return_sequences = true}))({source, encoded[1], encoded[2], encoded[1], encoded[2]});
  const auto stacked = RNN(StackedRNNCells({GRUCell(3), SimpleRNNCell(4)}), {.return_sequences = true})(decoded);
  const Model model(source, Dense(2)(GRU(3, {.dropout = 0.0})(TimeDistributed(Dense(4))(stacked))));
  write("recurrent", model, optimizers::Adam({.learning_rate = 0.01}), x, y);
}

// Calls with arguments, and operations. (Keras reads no Attention from .h5: it takes "dot" for its function of that
// name.)
TEST_F(WriteModelsForKeras, AttentionAndOperations) {
  set_random_seed(4);
  const Tensor x = at::arange(120, at::kFloat).reshape({6, 5, 4}).sin(),
               y = at::arange(12, at::kFloat).reshape({6, 2}).cos();
  const KerasTensor input = Input({5, 4});
  const auto heads = [&](const KerasTensor& h) {
    const KerasTensor a = Add()({h, MultiHeadAttention(2, 3)(h, h, {.use_causal_mask = true})});
    const auto [attended, scores] = MultiHeadAttention(2, 3, {.value_dim = 2}).with_scores(a, input, {.key = a});
    return std::pair{LayerNormalization()(Subtract()({attended, GroupQueryAttention(2, 4, 2)(a, a)})), scores};
  };
  const KerasTensor plain = heads(input).first;
  const auto [h, scores] = heads(input * 0.5 + ops::tanh(input));
  const KerasTensor mixed =
      Attention({.use_scale = true})({plain, input}) / 2 +
      AdditiveAttention()({h, h}) * ops::reshape(ops::mean(scores, {{1, 2, 3}}, true), {-1, 1, 1});
  const auto momentum = optimizers::SGD({.learning_rate = 0.05, .momentum = 0.9});
  write("attention", Model(input, Dense(2)(GlobalAveragePooling1D()(plain))), momentum, x, y);
  write("operations", Model(input, Dense(2)(ops::mean(mixed, 1))), momentum, x, y, false);
}

}  // namespace
}  // namespace tandem
