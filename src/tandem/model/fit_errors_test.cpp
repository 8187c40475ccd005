// What cannot work ends with one clear line; a loss that is no number is one warning.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <limits>

#include "tandem/distribution/mirrored.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/model/model.h"
#include "tandem/optimizers/sgd.h"
#include "tandem/testing/captured_log.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using testing::message_of;

Model small_model(bool compiled = true) {
  Sequential model({layers::Input({3}, {.name = "rows"}), layers::Dense(1, {.name = "head"})}, "small");
  if (compiled) model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.01}), .loss = "mse"});
  return model;
}

std::string fit_message(const FitOptions& options, const Tensor& x = at::ones({4, 3}),
                        const Tensor& y = at::ones({4, 1}), bool compiled = true) {
  auto quiet = options;
  if (quiet.verbose == 1) quiet.verbose = 0;
  return message_of<Error>([&] { small_model(compiled).fit(x, y, quiet); });
}

TEST(FitErrors, OptionsOutOfRange) {
  EXPECT_EQ(fit_message({.batch_size = 0}), "fit: batch_size must be at least 1, got 0");
  EXPECT_EQ(fit_message({.epochs = -1}), "fit: epochs must not be negative, got -1");
  EXPECT_EQ(fit_message({.verbose = 3}), "fit: verbose must be 0, 1 or 2, got 3");
  EXPECT_EQ(fit_message({.validation_split = 1.5}), "fit: validation_split must be in [0, 1), got 1.5");
  EXPECT_EQ(fit_message({.validation_split = 0.99}),
            "fit: validation_split 0.99 of 4 rows must leave rows on both sides");
  EXPECT_EQ(fit_message({.initial_epoch = -1}), "fit: initial_epoch must not be negative, got -1");
  EXPECT_EQ(fit_message({.steps_per_epoch = 0}), "fit: steps_per_epoch must be positive, or -1 for all data, got 0");
  EXPECT_EQ(fit_message({.validation_batch_size = -2}), "fit: validation_batch_size must be at least 1, got -2");
  EXPECT_EQ(fit_message({.validation_freq = 0}), "fit: validation_freq must be at least 1, got 0");
  Model model = small_model();
  EXPECT_EQ(message_of([&] {
              model.evaluate(at::ones({4, 3}), at::ones({4, 1}), {.batch_size = 0});
            }),
            "evaluate: batch_size must be at least 1, got 0");
  EXPECT_EQ(message_of([&] {
              model.evaluate(at::ones({4, 3}), at::ones({4, 1}), {.verbose = 3});
            }),
            "evaluate: verbose must be 0, 1 or 2, got 3");
  EXPECT_EQ(message_of([&] {
              model.predict(at::ones({4, 3}), {.batch_size = 0});
            }),
            "predict: batch_size must be at least 1, got 0");
}

TEST(FitErrors, NotCompiled) {
  EXPECT_EQ(fit_message({}, at::ones({4, 3}), at::ones({4, 1}), false),
            "fit: the model must be compiled with a loss and an optimizer first");
  Model model = small_model(false);
  EXPECT_EQ(message_of([&] {
              model.evaluate(at::ones({4, 3}), at::ones({4, 1}));
            }),
            "evaluate: the model must be compiled with a loss first");
  EXPECT_EQ(message_of([&] { model.set_learning_rate(1); }),
            "model 'small': must be compiled before its learning rate is set");
  EXPECT_EQ(model.predict(at::ones({4, 3})).size(0), 4);  // needs no compile
}

TEST(FitErrors, EmptyModel) {
  Model empty;
  EXPECT_EQ(message_of([&] {
              empty.predict(at::ones({1, 1}));
            }),
            "layer or model: must be made before it is used, this one is empty");
  EXPECT_EQ(message_of([&] { empty.compile({}); }),
            "layer or model: must be made before it is used, this one is empty");
}

TEST(FitErrors, DataThatDoesNotFit) {
  EXPECT_NE(fit_message({}, at::ones({0, 3}), at::ones({0, 1})).find("row"), std::string::npos)
      << fit_message({}, at::ones({0, 3}), at::ones({0, 1}));
  const auto rows = fit_message({}, at::ones({4, 3}), at::ones({5, 1}));
  EXPECT_NE(rows.find("4"), std::string::npos) << rows;
  EXPECT_NE(rows.find("5"), std::string::npos) << rows;
  EXPECT_EQ(fit_message({}, at::ones({4, 2})), "model 'small': input 'rows' must have shape (None, 3), got (4, 2)");
  const auto target = fit_message({}, at::ones({4, 3}), at::ones({4, 2}));
  EXPECT_NE(target.find("(4, 2)"), std::string::npos) << target;
  EXPECT_NE(target.find("(4, 1)"), std::string::npos) << target;
  for (const auto& message : {rows, target}) EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

TEST(FitErrors, FailureOnSeveralDevicesIsTheFirstOne) {
  Sequential model({layers::Input({3}, {.name = "rows"}), layers::Dense(1)}, "small");
  model.compile(
      {.optimizer = "sgd", .loss = "mse", .strategy = distribute::Mirrored({.devices = {"cpu:0", "cpu:1", "cpu:2"}})});
  EXPECT_EQ(message_of([&] {
              model.fit(at::ones({6, 2}), at::ones({6, 1}), {.verbose = 0});
            }),
            "model 'small': input 'rows' must have shape (None, 3), got (2, 2)");
  model.fit(at::ones({6, 3}), at::ones({6, 1}), {.verbose = 0});  // the model is usable afterwards
}

TEST(FitErrors, CompileNamesWhatIsWrong) {
  Model model = small_model(false);
  EXPECT_NE(message_of([&] { model.compile({.optimizer = "sdg", .loss = "mse"}); }).find("'sgd'"), std::string::npos);
  EXPECT_NE(message_of([&] { model.compile({.optimizer = "sgd", .loss = "mze"}); }).find("'mse'"), std::string::npos);
  EXPECT_NE(message_of([&] {
              model.compile({.optimizer = "sgd", .loss = "mse", .metrics = {"acuracy"}});
            }).find("'accuracy'"),
            std::string::npos);
  EXPECT_EQ(message_of([&] {
              model.compile({.optimizer = "sgd", .loss = {"mse", "mse"}});
            }),
            "compile: a model with 1 outputs must get one loss or as many, got 2");
  EXPECT_NE(message_of([&] {
              model.compile({.optimizer = "sgd", .loss = {{"haed", "mse"}}});
            }).find("'head'"),
            std::string::npos);
  EXPECT_NE(message_of([&] {
              model.compile({.optimizer = "sgd", .loss = "mse", .metrics = {{"haed", {"mse"}}}});
            }).find("'head'"),
            std::string::npos);
  EXPECT_EQ(message_of([&] {
              model.compile({.optimizer = "sgd", .loss = "mse", .loss_weights = {1, 2}});
            }),
            "compile: loss_weights must have one number for each of 1 outputs, got 2");
}

TEST(FitErrors, LossThatIsNoNumberIsOneWarningAndFitGoesOn) {
  Model model = small_model();
  Tensor x = at::ones({12, 3});
  x[5][1] = std::numeric_limits<float>::quiet_NaN();
  const testing::CapturedLog log;
  const auto history = model.fit(x, at::ones({12, 1}), {.batch_size = 2, .epochs = 2, .verbose = 0, .shuffle = false});
  EXPECT_EQ(log.warnings(), (std::vector<std::string>{"loss is nan at step 3 of epoch 1 (update 3)"}));
  EXPECT_EQ(history["loss"].size(), 2U);
  EXPECT_TRUE(std::isnan(history["loss"][1]));
}

}  // namespace
}  // namespace tandem
