// Models with synchronized batch normalisation: the numbers of one device.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/distribution/mirrored.h"
#include "tandem/layers/activation.h"
#include "tandem/layers/add.h"
#include "tandem/layers/batch_normalization.h"
#include "tandem/layers/conv2d.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/flatten.h"
#include "tandem/layers/input.h"
#include "tandem/model/parity_case_test.h"
#include "tandem/optimizers/sgd.h"

namespace tandem {
namespace {

using namespace layers;
using namespace parity;

BatchNormalization whole_batch_norm() { return BatchNormalization({.momentum = 0.8, .synchronized = true}); }

// Two paths, so that layers may ask for sums in another order than they were made in, and a ReLU behind each.
Model two_paths() {
  const auto x = Input({4, 4, 2});
  const auto path = [&](const KerasTensor& from) {
    return Activation("relu")(whole_batch_norm()(Conv2D(3, 3, {.padding = "same", .use_bias = false})(from)));
  };
  const auto y = Add()({path(x), path(path(x))});
  return Model(x, Dense(3, {.activation = "softmax"})(whole_batch_norm()(Dense(5)(Flatten()(y)))));
}
CompileOptions plain_sgd() {
  return {.optimizer = optimizers::SGD({.learning_rate = 0.05, .momentum = 0.9}),
          .loss = "categorical_crossentropy",
          .metrics = {"accuracy"}};
}

TEST(SynchronizedParity, AnyBatchSizeAndShortLastBatches) {
  for (const int64_t batch_size : {8, 7, 5}) {
    SCOPED_TRACE("batches of " + std::to_string(batch_size));
    expect_parity(
        {two_paths, plain_sgd(), normal({17, 4, 4, 2}, 1), one_hot(17, 3, 2), {.batch_size = batch_size, .epochs = 2}});
  }
}

TEST(SynchronizedParity, ReplicasWithoutRowsKeepUp) {  // rows of the batches: 3, 3, 1
  expect_parity({two_paths, plain_sgd(), normal({7, 4, 4, 2}, 1), one_hot(7, 3, 2), {.batch_size = 3, .epochs = 2}},
                {4});
}

TEST(SynchronizedParity, UnevenRowsCountByRows) {  // U66: rows [0, 0, 0] and [4]
  Sequential model({Input({1}), BatchNormalization({.momentum = 0, .synchronized = true})});
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.0}),
                 .loss = "mse",
                 .strategy = distribute::Mirrored({.devices = {"cpu:0", "cpu:1"}, .shares = {3, 1}})});
  const Tensor x = at::tensor({0.0F, 0.0F, 0.0F, 4.0F}).view({4, 1});
  const auto history = model.fit(x, x, {.batch_size = 4, .verbose = 0, .shuffle = false});
  ASSERT_EQ(history.rows_per_device(), (std::vector<int64_t>{3, 1}));
  EXPECT_EQ(model.get_weights()[2].item<float>(), 1);
  EXPECT_EQ(model.get_weights()[3].item<float>(), 3);
  // One row: the other replica does not take part, and nobody waits for it.
  const Tensor row = x.slice(0, 3);
  EXPECT_NEAR(model.predict(row).item<double>(), 3 / std::sqrt(3 + 1e-3), 1e-5);
  EXPECT_TRUE(std::isfinite(model.evaluate(row, row, {.verbose = 0})["loss"]));
}

}  // namespace
}  // namespace tandem
