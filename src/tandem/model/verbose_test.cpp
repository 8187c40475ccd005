// What fit, evaluate and predict print with verbose 2, against Keras's lines (tests/fixtures/keras/verbose_*_2.txt) but
// for times and figures: the fixture's weights and clock are its own.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <regex>

#include "tandem/core/random.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/model/model.h"
#include "tandem/testing/captured_log.h"
#include "tandem/testing/npy.h"

namespace tandem {
namespace {

std::string without_numbers(const std::string& text) {
  const auto untimed = std::regex_replace(text, std::regex("[0-9]+s - [0-9]+(s|ms|us)/step"), "TIME");
  return std::regex_replace(untimed, std::regex(": -?[0-9.]+(e[-+]?[0-9]+)?"), ": FIGURE");
}

template <class Act>
void expect_printed(const std::string& name, Act act) {
  Sequential model({layers::Input({6}), layers::Dense(8), layers::Dense(3, {.activation = "softmax"})});
  model.compile({.optimizer = "sgd", .loss = "categorical_crossentropy", .metrics = {"accuracy"}});
  const Tensor x = RandomStream(1).normal({40, 6}), y = RandomStream(2).uniform({40, 3});
  const testing::CapturedLog log;  // "training on ..." is a line of the log, not of the figures
  ::testing::internal::CaptureStdout();
  act(model, x, y);
  const auto printed = ::testing::internal::GetCapturedStdout();
  std::ifstream file(testing::fixture("keras/verbose_" + name + ".txt"));
  const std::string want{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(without_numbers(printed), without_numbers(want)) << printed;
}

TEST(Verbose, LinesOfKeras) {
  expect_printed("fit_2", [](Model& model, const Tensor& x, const Tensor& y) {
    model.fit(x, y, {.batch_size = 3, .epochs = 3, .verbose = 2, .validation_split = 0.25});
  });
  expect_printed("fit_initial_epoch_2", [](Model& model, const Tensor& x, const Tensor& y) {
    model.fit(x, y, {.epochs = 4, .verbose = 2, .initial_epoch = 2});
  });
  expect_printed("evaluate_2", [](Model& model, const Tensor& x, const Tensor& y) {
    model.evaluate(x, y, {.batch_size = 8, .verbose = 2});
  });
  expect_printed("predict_2", [](Model& model, const Tensor& x, const Tensor&) {
    model.predict(x, {.batch_size = 8, .verbose = 2});
  });
}

TEST(Verbose, ZeroPrintsNothing) {
  Sequential model({layers::Input({6}), layers::Dense(1)});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const testing::CapturedLog log;
  ::testing::internal::CaptureStdout();
  model.fit(RandomStream(1).normal({9, 6}), RandomStream(2).normal({9, 1}), {.verbose = 0});
  model.evaluate(RandomStream(1).normal({9, 6}), RandomStream(2).normal({9, 1}), {.verbose = 0});
  model.predict(RandomStream(1).normal({9, 6}));
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_TRUE(log.infos().empty());
}

}  // namespace
}  // namespace tandem
