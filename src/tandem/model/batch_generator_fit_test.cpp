// fit, evaluate and predict on batches that a function gives. Numbers of Keras 3.15 on TensorFlow, of the model and
// data in batch_generator_case_test.h.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/data/map_rows.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/dropout.h"
#include "tandem/layers/global_average_pooling1d.h"
#include "tandem/layers/input.h"
#include "tandem/model/batch_generator_case_test.h"
#include "tandem/model/parity_case_test.h"
#include "tandem/model/training_job.h"
#include "tandem/optimizers/sgd.h"
#include "tandem/testing/captured_log.h"

namespace tandem {
namespace {

using namespace layers;
using namespace parity;
using namespace generated;

// Of the data; that small steps are slow on several devices is another matter.
std::vector<std::string> data_warnings(const testing::CapturedLog& log) {
  std::vector<std::string> lines;
  for (const auto& line : log.warnings()) {
    if (line.find("the data ended") != std::string::npos) lines.push_back(line);
  }
  return lines;
}

void expect_figures(const std::vector<double>& got, const std::vector<double>& keras) {
  ASSERT_EQ(got.size(), keras.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], keras[i], 2e-6 * (1 + keras[i])) << i;
}

TEST(BatchGeneratorFit, AnEpochIsAsLongAsTheData) {  // m.fit(gen(5)); with tf.data.Dataset.from_generator, epochs=3
  for (const int64_t devices : {1, 2, 3}) {
    const auto one = sums(devices).fit(stream(5), {.verbose = 0});
    expect_figures(one["loss"], {0.7264705896377563});
    expect_figures(one["mae"], {0.7705882787704468});
    const testing::CapturedLog log;
    const auto three = sums(devices).fit(passes(5).prefetch(2), {.epochs = 3, .verbose = 0});
    expect_figures(three["loss"], {0.7264705896377563, 0.7264705896377563, 0.7264705896377563});
    EXPECT_EQ(data_warnings(log).size(), 0U);
  }
}

TEST(BatchGeneratorFit, AStreamThatEndsEndsTheTraining) {
  for (const int64_t devices : {1, 3}) {
    const testing::CapturedLog log;
    // m.fit(gen(12), steps_per_epoch=5, epochs=4), as far as the data goes; Keras then serves its first two batches
    // again.
    const auto history = sums(devices).fit(stream(12), {.epochs = 4, .verbose = 0, .steps_per_epoch = 5});
    expect_figures(history["loss"], {0.7264705896377563, 2.5500001907348633, 4.402857303619385});
    expect_figures(history["mae"], {0.7705882787704468, 1.5499999523162842, 2.0714285373687744});
    ASSERT_EQ(data_warnings(log).size(), 1U);
    EXPECT_EQ(data_warnings(log)[0],
              "fit: the data ended for good after 2 of 5 steps of epoch 3 of 4, and the training with it; a "
              "BatchGenerator made with a function of the pass begins anew");
  }
  for (const auto& [data, steps, warning] : {std::tuple(stream(5), int64_t{-1}, "5 steps of epoch 1 of 3"),
                                             std::tuple(stream(5), int64_t{5}, "0 of 5 steps of epoch 2 of 3")}) {
    const testing::CapturedLog log;
    EXPECT_EQ(sums(1).fit(data, {.epochs = 3, .verbose = 0, .steps_per_epoch = steps})["loss"].size(), 1U);
    ASSERT_EQ(data_warnings(log).size(), 1U);
    EXPECT_NE(data_warnings(log)[0].find(warning), std::string::npos) << data_warnings(log)[0];
  }
  const testing::CapturedLog log;
  EXPECT_EQ(sums(1).fit(stream(10), {.epochs = 2, .verbose = 0, .steps_per_epoch = 5})["loss"].size(), 2U);
  EXPECT_EQ(data_warnings(log).size(), 0U) << "it had what was asked for";
}

TEST(BatchGeneratorFit, PassesThatEndWithinAnEpochBeginAnewInTheNext) {  // tf.data, 5 batches, steps_per_epoch=3
  for (const int64_t devices : {1, 2}) {
    const testing::CapturedLog log;
    const auto history = sums(devices).fit(passes(5), {.epochs = 4, .verbose = 0, .steps_per_epoch = 3});
    expect_figures(history["loss"], {0.47200003266334534, 1.090000033378601, 0.47200003266334534, 1.090000033378601});
    ASSERT_EQ(data_warnings(log).size(), 2U);
    EXPECT_NE(data_warnings(log)[0].find("the data ended after 2 of 3 steps of epoch 2"), std::string::npos);
  }
}

TEST(BatchGeneratorFit, ValidatesOnOne) {  // validation_data: tf.data of 4 batches; validation_steps=2
  for (const int64_t devices : {1, 2}) {
    auto history = sums(devices).fit(passes(5), {.epochs = 2, .verbose = 0, .validation_data = passes(4)});
    expect_figures(history["val_loss"], {0.6550000309944153, 0.6550000309944153});
    expect_figures(history["val_mae"], {0.7214285731315613, 0.7214285731315613});
    history =
        sums(devices).fit(passes(5), {.epochs = 2, .verbose = 0, .validation_data = passes(4), .validation_steps = 2});
    expect_figures(history["val_loss"], {0.4385714530944824, 0.4385714530944824});
  }
}

TEST(BatchGeneratorFit, EvaluatesAndPredicts) {
  for (const int64_t devices : {1, 2, 4}) {
    const testing::CapturedLog log;
    auto model = sums(devices);
    EXPECT_NEAR(model.evaluate(stream(5), {.verbose = 0})["loss"], 0.7264705896377563, 2e-6);
    EXPECT_NEAR(model.evaluate(stream(5), {.verbose = 0, .steps = 3})["mae"], 0.6100000143051147, 2e-6);
    EXPECT_EQ(data_warnings(log).size(), 0U);
    EXPECT_NEAR(model.evaluate(stream(5), {.verbose = 0, .steps = 9})["loss"], 0.7264705896377563, 2e-6);
    ASSERT_EQ(data_warnings(log).size(), 1U);
    EXPECT_EQ(data_warnings(log)[0], "the data ended after 5 of 9 steps");
    const Tensor keras = at::tensor({0.1F, 0.5F, 0.9F, 0.3F, 0.7F, 1.1F, 1.5F, 0.5F, 0.9F, 1.3F});
    EXPECT_TRUE(at::allclose(model.predict(stream(3)).reshape({-1}), keras, 1e-6, 1e-6));
    EXPECT_EQ(model.predict(passes(3), {.steps = 2}).size(0), 7);
  }
}

TEST(BatchGeneratorFit, BatchesBringWeights) {
  // SGD(0.1), weighted_metrics=["mae"]; three batches with np.arange(1, rows + 1) as sample weights
  for (const int64_t devices : {1, 2, 3}) {
    Sequential model({Input({2}), Dense(1, {.kernel_initializer = "ones"})});
    model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1}),
                   .loss = "mse",
                   .weighted_metrics = {"mae"},
                   .strategy = on_devices(devices)});
    const auto history = model.fit(BatchGenerator([i = int64_t{0}]() mutable -> std::optional<Batch> {
                                     if (i == 3) return std::nullopt;
                                     Batch batch = given(i++);
                                     batch.weights = at::arange(1, batch.rows() + 1);
                                     return batch;
                                   }),
                                   {.verbose = 0});
    expect_figures(history["loss"], {0.5856202840805054});
    expect_figures(history["mae"], {0.42874786257743835});
    const auto weights = model.get_weights();
    EXPECT_NEAR(weights[0][0].item<double>(), 0.7475904822349548, 1e-6);
    EXPECT_NEAR(weights[0][1].item<double>(), 0.6974474787712097, 1e-6);
    EXPECT_NEAR(weights[1][0].item<double>(), -0.5014302134513855, 1e-6);
  }
}

// A task with dropout, a random transform, momentum and accumulated gradients.
Result random_task(const Dataset& data, int64_t devices, bool twice) {
  set_random_seed(7);
  Sequential model({Input({2}), Dense(5, {.activation = "tanh"}), Dropout(0.3), Dense(1)});
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1, .momentum = 0.9}),
                 .loss = "mse",
                 .strategy = on_devices(devices)});
  const Dataset noisy = data.map(data::MapRows([](data::Example row, const RandomStream& random) {
    row.x[0] = row.x[0] + random.uniform({2});
    return row;
  }));
  FitOptions fit{.epochs = twice ? 2 : 4, .verbose = 0, .steps_per_epoch = 5, .accumulate = 2};
  Result result;
  result.history = model.fit(noisy, fit);
  if (twice) result.history = model.fit(noisy, fit);
  result.weights = model.get_weights();
  return result;
}

TEST(BatchGeneratorFit, IsTheSameOnSeveralDevicesAndAhead) {
  const Result want = random_task(stream(20), 1, false);
  for (const int64_t devices : {1, 2, 3, 5}) expect_same(random_task(stream(20).prefetch(3), devices, false), want);
}

TEST(BatchGeneratorFit, ASecondFitGoesOnInTheStream) {
  const auto bare = [](const Dataset& data, bool twice) {
    auto model = sums(2, 0.1);
    FitOptions fit{.epochs = twice ? 1 : 2, .verbose = 0, .steps_per_epoch = 5};
    model.fit(data, fit);
    if (twice) model.fit(data, fit);
    return model.get_weights()[0];
  };
  const Tensor want = bare(stream(10), false);
  EXPECT_TRUE(at::equal(bare(stream(10), true), want));
  EXPECT_TRUE(at::equal(bare(stream(10).prefetch(4), true), want)) << "what was asked for ahead is not lost";
}

TEST(BatchGeneratorFit, EndlessWithStepsAndTheModelWithin) {
  auto model = sums(2, 0.01);
  int64_t asked = 0;
  const BatchGenerator endless([&] {  // asks the model that is being trained
    Batch batch = given(asked++);
    batch.y = model.predict(batch.x) * 0.5;
    return batch;
  });
  const auto history = model.fit(endless, {.epochs = 2, .verbose = 0, .steps_per_epoch = 4});
  EXPECT_EQ(history["loss"].size(), 2U);
  EXPECT_EQ(asked, 8);
}

TEST(BatchGeneratorFit, StepsAreUnknownUntilAnEpochHasEnded) {
  struct Steps : Callback {
    void on_train_begin(Logs&) override { steps = params_.steps; }
    int64_t steps = 0;
  };
  auto steps = std::make_shared<Steps>();
  sums(1).fit(passes(5), {.verbose = 0, .callbacks = {steps}});
  EXPECT_EQ(steps->steps, -1);
  sums(1).fit(passes(5), {.verbose = 0, .callbacks = {steps}, .steps_per_epoch = 3});
  EXPECT_EQ(steps->steps, 3);

  const testing::CapturedLog log;
  ::testing::internal::CaptureStdout();
  sums(1).fit(passes(5), {.epochs = 2, .verbose = 2});
  const auto text = ::testing::internal::GetCapturedStdout();
  EXPECT_EQ(text.find("Epoch 1/2\n5/5 - 0s - "), 0U) << text;
  EXPECT_NE(text.find("\nEpoch 2/2\n5/5 - 0s - "), std::string::npos) << text;
  ASSERT_EQ(log.infos().size(), 1U);
  EXPECT_NE(log.infos()[0].find("batches of the sizes that the data gives, epochs as long as the data"),
            std::string::npos)
      << log.infos()[0];
}

TEST(BatchGeneratorFit, InTheBackground) {
  auto model = sums(2);
  auto job = model.fit_async(passes(5), {.epochs = 2, .verbose = 0});
  expect_figures(job.wait()["loss"], {0.7264705896377563, 0.7264705896377563});
  EXPECT_EQ(job.progress().steps, -1);
  EXPECT_EQ(job.progress().step, 10);
}

TEST(BatchGeneratorFit, BuildsAModelForLengthsThatDiffer) {
  Sequential model({GlobalAveragePooling1D(), Dense(1)});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const BatchGenerator data([i = int64_t{0}]() mutable -> std::optional<Batch> {
    if (i == 4) return std::nullopt;
    return Batch{at::ones({2, 3 + i++, 2}), at::ones({2, 1})};
  });
  EXPECT_EQ(model.fit(data, {.verbose = 0})["loss"].size(), 1U);
  EXPECT_EQ(model.network()->input_shapes()[0], Shape({-1, -1, 2}));
}

}  // namespace
}  // namespace tandem
