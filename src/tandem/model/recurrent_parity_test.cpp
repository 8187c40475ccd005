// Recurrent models on one device and on several; states that go on from batch to batch.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/core/random.h"
#include "tandem/distribution/as_placed.h"
#include "tandem/distribution/mirrored.h"
#include "tandem/distribution/single_device.h"
#include "tandem/layers/bidirectional.h"
#include "tandem/layers/concatenate.h"
#include "tandem/layers/conv_lstm2d.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/embedding.h"
#include "tandem/layers/flatten.h"
#include "tandem/layers/gru.h"
#include "tandem/layers/gru_cell.h"
#include "tandem/layers/input.h"
#include "tandem/layers/lstm.h"
#include "tandem/layers/lstm_cell.h"
#include "tandem/layers/recurrent_layer.h"
#include "tandem/layers/rnn.h"
#include "tandem/layers/simple_rnn.h"
#include "tandem/layers/stacked_rnn_cells.h"
#include "tandem/layers/time_distributed.h"
#include "tandem/model/parity_case_test.h"
#include "tandem/optimizers/sgd.h"
#include "tandem/testing/closeness.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using namespace layers;
using namespace parity;
using testing::difference;

CompileOptions recurrent_compile(const char* loss = "categorical_crossentropy") {
  return {.optimizer = optimizers::SGD({.learning_rate = 0.1, .momentum = 0.9}), .loss = loss};
}

// Ids in [0, 20), of which 0 is padding: each row ends, or begins, with some.
Tensor padded_ids(int64_t rows, int64_t steps, bool left = false) {
  const Tensor ids = (RandomStream(5).uniform({rows, steps}) * 19 + 1).floor();
  const Tensor lengths = (RandomStream(6).uniform({rows, 1}) * static_cast<double>(steps + 1)).floor();
  const Tensor places = at::arange(steps).to(at::kFloat);
  return ids * (left ? steps - 1 - places < lengths : places < lengths);
}

TEST(RecurrentParity, TextClassifierWithMaskAndDropout) {
  const auto build = [] {
    return Model(Sequential({Input({6}), Embedding(20, 5, {.mask_zero = true}),
                             LSTM(7, {.dropout = 0.2, .return_sequences = true}), LSTM(6, {.recurrent_dropout = 0.3}),
                             Dense(3, {.activation = "softmax"})}));
  };
  for (const bool left : {false, true}) {
    expect_parity(
        {build, recurrent_compile(), padded_ids(29, 6, left), one_hot(29, 3, 2), {.batch_size = 8, .epochs = 2}});
  }
}

TEST(RecurrentParity, BothWaysStackedAndByTime) {
  const auto build = [] {
    return Model(Sequential({Input({6, 4}), Bidirectional(GRU(5, {.return_sequences = true}), {.merge_mode = "sum"}),
                             RNN(StackedRNNCells({LSTMCell(4), GRUCell(4)}), {.return_sequences = true}),
                             TimeDistributed(Dense(3)), SimpleRNN(4), Dense(3, {.activation = "softmax"})}));
  };
  expect_parity({build, recurrent_compile(), normal({26, 6, 4}, 1), one_hot(26, 3, 2), {.batch_size = 7, .epochs = 2}});
}

TEST(RecurrentParity, Convolutional) {
  const auto build = [] {
    return Model(Sequential({Input({3, 5, 5, 2}), ConvLSTM2D(3, 3, {.padding = "same", .dropout = 0.2}), Flatten(),
                             Dense(2, {.activation = "softmax"})}));
  };
  expect_parity(
      {build, recurrent_compile(), normal({11, 3, 5, 5, 2}, 1), one_hot(11, 2, 2), {.batch_size = 5, .epochs = 2}});
}

// An encoder's states are the decoder's first.
Model sequence_to_sequence() {
  const auto source = Input({5, 3}), target = Input({4, 2});
  const auto encoded = LSTM(6, {.return_state = true}).outputs(source);
  return Model({source, target}, Dense(3)(LSTM(6, {.return_sequences = true})({target, encoded[1], encoded[2]})));
}

TEST(RecurrentParity, SequenceToSequence) {
  expect_parity({sequence_to_sequence,
                 recurrent_compile("mse"),
                 {normal({19, 5, 3}, 1), normal({19, 4, 2}, 2)},
                 normal({19, 4, 3}, 3),
                 {.batch_size = 6, .epochs = 2}});
}

TEST(RecurrentParity, GivenStatesAreDividedAsTheRowsAre) {  // U12
  const auto build = [] {
    const auto x = Input({5, 3}), h = Input({4}), c = Input({4});
    return Model({x, h, c}, Dense(2)(LSTM(4)({x, h, c})));
  };
  const Tensors x{normal({4, 5, 3}, 1), normal({4, 4}, 2), normal({4, 4}, 3)};
  set_random_seed(1);
  Model one = build();
  Model two = clone_model(one);
  two.set_weights(one.get_weights());
  one.compile({.optimizer = "sgd", .loss = "mse", .strategy = on_devices(1)});
  two.compile({.optimizer = "sgd", .loss = "mse", .strategy = on_devices(2)});
  EXPECT_EQ(difference(two.predict(x, {.batch_size = 4}), one.predict(x, {.batch_size = 4}), 1e-6), "");
  const auto train = [&](Model& model) { return model.train_on_batch(x, normal({4, 2}, 4))["loss"]; };
  EXPECT_NEAR(train(two), train(one), 1e-6);
}

// Batches of 4 rows that go on: row i of a batch is the continuation of row i of the one before.
Model stateful(bool both_ways = false) {
  const auto x = Input({3, 2}, {.batch_size = 4});
  const LSTM lstm(5, {.stateful = true});
  return Model(x, Dense(2)(both_ways ? Bidirectional(lstm)(x) : lstm(x)));
}

TEST(RecurrentParity, StatesAreKeptByReplica) {  // U12
  for (const bool both_ways : {false, true}) {
    expect_parity({[=] { return stateful(both_ways); },
                   recurrent_compile("mse"),
                   normal({20, 3, 2}, 1),
                   normal({20, 2}, 2),
                   {.batch_size = 4, .epochs = 2, .shuffle = false}});
  }
}

TEST(Stateful, GoesOnFromBatchToBatchAndBeginsEachPassWithZeros) {
  set_random_seed(2);
  Model model = stateful();
  const Tensor x = normal({12, 3, 2}, 1), got = model.predict(x, {.batch_size = 4});
  // The same weights over the whole sequence of each row.
  const auto long_one = Input({9, 2});
  Model whole(long_one, Dense(2)(LSTM(5, {.return_sequences = true})(long_one)));
  whole.set_weights(model.get_weights());
  const Tensor joined = x.view({3, 4, 3, 2}).transpose(0, 1).reshape({4, 9, 2});
  const Tensor want = whole.predict(joined);
  for (int64_t batch = 0; batch < 3; ++batch)
    EXPECT_EQ(difference(got.slice(0, 4 * batch, 4 * batch + 4), want.select(1, 3 * batch + 2), 1e-6), "") << batch;
  EXPECT_TRUE(at::equal(model.predict(x, {.batch_size = 4}), got)) << "a second pass begins with zeros";
  EXPECT_FALSE(at::allclose(model.predict_on_batch(x.slice(0, 0, 4))[0], got.slice(0, 0, 4))) << "goes on by hand";
  reset_states(model);
  EXPECT_TRUE(at::equal(model.predict_on_batch(x.slice(0, 0, 4))[0], got.slice(0, 0, 4)));
  EXPECT_TRUE(at::equal(model.predict_on_batch(x.slice(0, 4, 8))[0], got.slice(0, 4, 8)));
}

TEST(Stateful, AWrongBatchIsRefusedBeforeTheFirstStep) {  // U12
  Model model = stateful();
  model.compile({.optimizer = "sgd", .loss = "mse", .strategy = on_devices(2)});
  const Tensor x = normal({10, 3, 2}, 1), y = normal({10, 2}, 2);
  const auto expect_error = [](auto act, std::initializer_list<const char*> words) {
    const std::string message = testing::message_of<InvalidArgument>(act);
    for (const char* word : words) EXPECT_NE(message.find(word), std::string::npos) << message;
  };
  expect_error([&] { model.fit(x, y, {.batch_size = 5, .verbose = 0}); },
               {"fit", "lstm", "stateful", "4 rows", "batch_size must be 4", "5"});
  expect_error([&] { model.fit(x, y, {.batch_size = 4, .verbose = 0}); }, {"a multiple of 4 rows", "10"});
  expect_error([&] { model.predict(x, {.batch_size = 32}); }, {"predict", "batch_size must be 4", "32"});
  expect_error([&] { model.evaluate(x, y, {.batch_size = 4, .verbose = 0}); }, {"evaluate", "a multiple of 4"});
  expect_error([&] { model.train_on_batch(x.slice(0, 0, 3), y.slice(0, 0, 3)); }, {"batch_size must be 4", "3"});
  EXPECT_NO_THROW(model.evaluate(x, y, {.batch_size = 4, .verbose = 0, .steps = 2}));
}

TEST(RecurrentParity, TheSameBitsInFixedOrder) {
  const auto trained = [](int64_t devices) {
    set_random_seed(4);
    Model model(Sequential({Input({5, 3}), LSTM(6, {.return_sequences = true}), GRU(4), Dense(2)}));
    std::vector<Device> places;
    for (int64_t i = 0; i < devices; ++i) places.emplace_back("cpu:" + std::to_string(i));
    model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1}),
                   .loss = "mse",
                   .strategy = distribute::Mirrored(
                       {.devices = Devices::of(places), .threads_per_device = 1, .fixed_order = 4})});
    model.fit(normal({24, 5, 3}, 1), normal({24, 2}, 2), {.batch_size = 8, .epochs = 2, .verbose = 0});
    return model.get_weights();
  };
  const auto one = trained(1), four = trained(4);
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_TRUE(at::equal(one[i], four[i])) << i;
}

TEST(RecurrentParity, OneLstmOnTwoDevices) {
  const Task task{[] {
                    const auto a = Input({6, 3}), b = Input({6, 3});
                    const LSTM shared(5);
                    KerasTensor left, right;
                    {
                      const DeviceScope on("cpu:0");
                      left = shared(a);
                    }
                    {
                      const DeviceScope on("cpu:1");
                      right = shared(b);
                    }
                    const DeviceScope on("cpu:0");
                    return Model({a, b}, Dense(2, {.activation = "softmax"})(Concatenate()({left, right})));
                  },
                  recurrent_compile(),
                  {normal({22, 6, 3}, 1), normal({22, 6, 3}, 2)},
                  one_hot(22, 2, 3),
                  {.batch_size = 7, .epochs = 2}};
  expect_same(train(task, distribute::AsPlaced(1)), train(task, distribute::SingleDevice("cpu:0", 1)));
}

TEST(Recurrent, ModelsAreClonedAndSummarized) {
  const Model model = sequence_to_sequence();
  Model copy = clone_model(clone_model(model));
  copy.set_weights(model.get_weights());
  const Tensors x{normal({3, 5, 3}, 1), normal({3, 4, 2}, 2)};
  EXPECT_TRUE(at::equal(Model(model).predict(x), copy.predict(x)));
  EXPECT_EQ(model.count_params(), 4 * 6 * (3 + 6 + 1) + 4 * 6 * (2 + 6 + 1) + 6 * 3 + 3);
  EXPECT_NE(model.summary_text().find("(None, 4, 6)"), std::string::npos);
}

}  // namespace
}  // namespace tandem
