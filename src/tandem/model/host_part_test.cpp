// A replicated model of which a part runs once, on the merged batch, gives what one device gives.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/core/random.h"
#include "tandem/distribution/mirrored.h"
#include "tandem/layers/batch_normalization.h"
#include "tandem/layers/conv2d.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/dropout.h"
#include "tandem/layers/embedding.h"
#include "tandem/layers/flatten.h"
#include "tandem/layers/global_average_pooling1d.h"
#include "tandem/layers/input.h"
#include "tandem/layers/max_pooling2d.h"
#include "tandem/layers/regularizers.h"
#include "tandem/losses/sparse_categorical_crossentropy.h"
#include "tandem/model/parity_case_test.h"
#include "tandem/optimizers/sgd.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using namespace layers;
using namespace parity;

CompileOptions host_compile() {
  return {.optimizer = optimizers::SGD({.learning_rate = 0.1, .momentum = 0.9, .global_clipnorm = 1.0}),
          .loss = "categorical_crossentropy",
          .metrics = {"accuracy"}};
}

// Convolutions on the devices, the dense head on the host.
Model cnn_with_head_on_host() {
  const auto x = Input({8, 8, 2});
  const auto maps = MaxPooling2D(2)(Conv2D(4, 3, {.padding = "same", .activation = "relu"})(x));
  const DeviceScope host("cpu:0");
  auto y = Dense(8, {.activation = "relu", .kernel_regularizer = regularizers::L2(0.01)})(Flatten()(maps));
  y = Dropout(0.3)(BatchNormalization()(y));  // statistics of the whole batch, on any number of devices
  return Model(x, Dense(3, {.activation = "softmax", .activity_regularizer = "l2"})(y));
}

TEST(HostPart, DenseHeadOfACnn) {
  expect_parity({cnn_with_head_on_host,
                 host_compile(),
                 normal({22, 8, 8, 2}, 1),
                 one_hot(22, 3, 2),
                 {.batch_size = 7, .epochs = 3}});
}

TEST(HostPart, BatchesSmallerThanTheNumberOfDevices) {
  expect_parity({cnn_with_head_on_host,
                 host_compile(),
                 normal({5, 8, 8, 2}, 1),
                 one_hot(5, 3, 2),
                 {.batch_size = 3, .epochs = 2}},
                {4});
}

TEST(HostPart, AnEmbeddingFirst) {  // nothing that comes to the host has a gradient
  const auto build = [] {
    const auto ids = Input({5});
    KerasTensor words;
    {
      const DeviceScope host("cpu:0");
      words = Embedding(7, 4)(ids);
    }
    return Model(ids, Dense(3, {.activation = "softmax"})(Flatten()(words)));
  };
  const Tensor ids = (RandomStream(8).uniform({13, 5}) * 7).floor();
  expect_parity({build, host_compile(), ids, one_hot(13, 3, 2), {.batch_size = 4, .epochs = 2}});
}

TEST(HostPart, InTheMiddleWithMaskedLossAndAccumulation) {
  const auto build = [] {
    const auto x = Input({5, 3});
    auto y = Dense(6, {.activation = "relu"})(x);
    {
      const DeviceScope host("cpu:0");
      y = Dropout(0.2)(Dense(6, {.activation = "tanh"})(y));
    }
    return Model(x, Dense(4)(y));
  };
  const CompileOptions compile{.optimizer = "adam",
                               .loss = losses::SparseCategoricalCrossentropy({.from_logits = true, .ignore_class = 0})};
  const Tensor labels = (RandomStream(3).uniform({9, 5}) * 4).to(at::kInt);
  expect_parity({build, compile, normal({9, 5, 3}, 1), labels, {.batch_size = 4, .epochs = 2, .accumulate = 2}});
}

TEST(HostPart, MasksGoToTheHostAndBack) {
  const auto build = [] {
    const auto ids = Input({5});
    KerasTensor words = Embedding(7, 4, {.mask_zero = true})(ids);
    {
      const DeviceScope host("cpu:0");
      words = BatchNormalization({.momentum = 0.8})(words);
    }
    return Model(ids, Dense(3, {.activation = "softmax"})(GlobalAveragePooling1D()(words)));
  };
  const Tensor ids = (RandomStream(8).uniform({13, 5}) * 6).floor() + 1;
  for (int64_t row = 0; row < 13; ++row) ids[row].slice(0, 1 + row % 4).zero_();
  expect_parity({build, host_compile(), ids, one_hot(13, 3, 2), {.batch_size = 4, .epochs = 2}});
}

TEST(HostPart, BytesToTheHostAreCounted) {
  const auto result = train({cnn_with_head_on_host,
                             host_compile(),
                             normal({8, 8, 8, 2}, 1),
                             one_hot(8, 3, 2),
                             {.batch_size = 8, .epochs = 1}},
                            2);
  // At least each row's feature maps (4, 4, 4) and their gradient, and its 3 outputs.
  EXPECT_GT(result.history.bytes_sent(1), 4 * 4 * (2 * 64 + 3));
}

TEST(HostPart, ALayerThatFailsThereEndsTheStepWithItsMessage) {
  struct FailsOnHost : Layer {
    Tensor call(const Tensor& x, const CallContext& context) override {
      if (context.training) throw InvalidArgument("this layer fails on the host");
      return x * 1;
    }
  };
  const auto x = Input({6});
  auto y = Dense(6)(x);
  {
    const DeviceScope host("cpu:0");
    y = make_layer<FailsOnHost>()(y);
  }
  Model model(x, Dense(3)(y));
  model.compile({.optimizer = "sgd", .loss = "mse", .strategy = on_devices(3)});
  const auto fit = [&] { model.fit(normal({6, 6}, 1), one_hot(6, 3, 2), {.verbose = 0}); };
  EXPECT_EQ(testing::message_of<InvalidArgument>(fit), "this layer fails on the host");
  EXPECT_EQ(model.predict(normal({4, 6}, 1)).size(0), 4);
}

TEST(HostPart, AReplicaThatFailsEndsTheOthersWaits) {
  struct FailsOnOne : Layer {  // on the replica whose rows begin with 3
    Tensor call(const Tensor& x, const CallContext& context) override {
      if (context.training && x[0][0].item<double>() == 3) throw InvalidArgument("this replica fails");
      return x * 1;
    }
  };
  const auto x = Input({6});
  auto y = make_layer<FailsOnOne>()(x);
  {
    const DeviceScope host("cpu:0");
    y = Dense(6)(y);
  }
  Model model(x, Dense(3)(y));
  model.compile({.optimizer = "sgd", .loss = "mse", .strategy = on_devices(2)});
  Tensor rows = at::zeros({4, 6});
  rows[2].fill_(3);
  const auto fit = [&] { model.fit(rows, one_hot(4, 3, 2), {.verbose = 0, .shuffle = false}); };
  EXPECT_EQ(testing::message_of<InvalidArgument>(fit), "this replica fails");
}

TEST(HostPart, DoesNotGoWithReplicasThatLearnApart) {
  auto model = cnn_with_head_on_host();
  auto compile = host_compile();
  compile.strategy = distribute::Mirrored({.devices = {"cpu:0", "cpu:1"}, .average_every = 2});
  model.compile(compile);
  const auto message = testing::message_of([&] {
    model.fit(normal({4, 8, 8, 2}, 1), one_hot(4, 3, 2), {.verbose = 0});
  });
  EXPECT_EQ(message.substr(0, 45), "Mirrored: average_every must not be set for m") << message;
}

}  // namespace
}  // namespace tandem
