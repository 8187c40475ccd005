// A multi-layer perceptron trained by real Keras and here, under the settings of compile and fit, one at a time.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/callbacks/learning_rate_scheduler.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/layers/regularizers.h"
#include "tandem/losses/categorical_crossentropy.h"
#include "tandem/metrics/categorical_accuracy.h"
#include "tandem/model/keras_model_case_test.h"
#include "tandem/optimizers/polynomial_decay.h"
#include "tandem/optimizers/sgd.h"

namespace tandem {
namespace {

using layers::Dense;
using layers::Input;
using optimizers::SGD;
using testing::expect_trains_as_keras;

Model mlp(const char* hidden = "relu", const Dense& head = Dense(3, {.activation = "softmax"})) {
  return Sequential({Input({6}), Dense(8, {.activation = hidden}), head});
}

CompileOptions momentum_categorical() {
  return {.optimizer = SGD({.learning_rate = 0.1, .momentum = 0.9}),
          .loss = "categorical_crossentropy",
          .metrics = {"accuracy"}};
}

CompileOptions weighted_metrics() {
  auto options = momentum_categorical();
  const auto weighted = metrics::CategoricalAccuracy().get();
  weighted->set_name("weighted_accuracy");
  options.weighted_metrics = {weighted};
  return options;
}

CompileOptions sparse() {
  return {.optimizer = SGD({.learning_rate = 0.1}), .loss = "sparse_categorical_crossentropy", .metrics = {"accuracy"}};
}

CompileOptions polynomial() {
  const schedules::PolynomialDecay rate(0.1, 12, {.end_learning_rate = 0.01});
  return {.optimizer = SGD({.learning_rate = rate, .momentum = 0.9}),
          .loss = "categorical_crossentropy",
          .metrics = {"accuracy"}};
}

callbacks::LearningRateScheduler halving() {
  return callbacks::LearningRateScheduler([](int epoch, double rate) { return epoch > 0 ? rate * 0.5 : rate; });
}

TEST(KerasMlp, Momentum) { expect_trains_as_keras("mlp_momentum", mlp(), momentum_categorical()); }
TEST(KerasMlp, ClassWeight) {
  expect_trains_as_keras("mlp_class_weight", mlp(), momentum_categorical());
  expect_trains_as_keras("mlp_class_weight_sparse", mlp(), sparse());
}
TEST(KerasMlp, SampleWeight) { expect_trains_as_keras("mlp_sample_weight", mlp(), weighted_metrics()); }
TEST(KerasMlp, ValidationSplit) {
  expect_trains_as_keras("mlp_validation_split", mlp(), momentum_categorical());
  expect_trains_as_keras("mlp_validation_split_weighted", mlp(), weighted_metrics());
}
TEST(KerasMlp, ValidationDataWithWeightsEverySecondEpoch) {
  expect_trains_as_keras("mlp_validation_data", mlp(), weighted_metrics());
}
TEST(KerasMlp, SparseTargets) { expect_trains_as_keras("mlp_sparse", mlp(), sparse()); }
TEST(KerasMlp, FromLogitsWithSmoothedLabels) {
  const losses::CategoricalCrossentropy loss({.from_logits = true, .label_smoothing = 0.1});
  expect_trains_as_keras("mlp_from_logits", mlp("tanh", Dense(3)),
                         {.optimizer = SGD({.learning_rate = 0.1}), .loss = loss, .metrics = {"accuracy"}});
}
TEST(KerasMlp, MeanSquaredErrorWithNesterov) {
  expect_trains_as_keras("mlp_mse_nesterov", mlp("sigmoid", Dense(2)),
                         {.optimizer = SGD({.learning_rate = 0.05, .momentum = 0.9, .nesterov = true}), .loss = "mse"});
}
TEST(KerasMlp, RegularizersAndAPolynomialSchedule) {
  using namespace regularizers;
  const Sequential model(
      {Input({6}), Dense(8, {.activation = "relu", .kernel_regularizer = L2(0.02), .bias_regularizer = L1(0.01)}),
       Dense(3, {.activation = "softmax", .kernel_regularizer = L1L2({.l1 = 0.001, .l2 = 0.01})})});
  expect_trains_as_keras("mlp_regularized_polynomial", model, polynomial());
}
TEST(KerasMlp, LearningRateScheduler) {
  expect_trains_as_keras("mlp_scheduler", mlp(), momentum_categorical(), {.callback = halving()});
}
TEST(KerasMlp, InitialEpoch) {
  expect_trains_as_keras("mlp_initial_epoch", mlp(), momentum_categorical(), {.callback = halving()});
}
TEST(KerasMlp, FitTwiceGoesOn) { expect_trains_as_keras("mlp_fit_twice", mlp(), polynomial()); }
TEST(KerasMlp, StepsPerEpochGoOnInTheData) {
  expect_trains_as_keras("mlp_steps_per_epoch", mlp(), momentum_categorical());
}
TEST(KerasMlp, StepsPerEpochWhereTheDataEnds) {
  expect_trains_as_keras("mlp_steps_per_epoch_runs_out", mlp(), momentum_categorical());
}
TEST(KerasMlp, BatchLargerThanTheData) { expect_trains_as_keras("mlp_one_batch", mlp(), momentum_categorical()); }

}  // namespace
}  // namespace tandem
