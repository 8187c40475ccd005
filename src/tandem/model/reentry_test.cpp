// Calls into a model at odd moments: from callbacks, from several threads, after its layers changed.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <thread>

#include "tandem/core/error.h"
#include "tandem/core/random.h"
#include "tandem/distribution/mirrored.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/model/model.h"
#include "tandem/optimizers/sgd.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using layers::Dense;
using layers::Input;

struct Hook : Callback {
  explicit Hook(std::function<void()> action) : action(std::move(action)) {}
  void on_train_batch_end(int64_t, Logs&) override { action(); }
  bool has_model() const { return model_ != nullptr; }
  std::function<void()> action;
};

Tensor reentry_x() { return RandomStream(3).normal({16, 4}); }
Tensor reentry_y() { return RandomStream(4).normal({16, 3}); }

Sequential reentry_model(const distribute::Strategy& strategy = {}) {
  set_random_seed(5);
  Sequential model({Input({4}), Dense(8, {.activation = "tanh"}), Dense(3)});
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1}), .loss = "mse", .strategy = strategy});
  return model;
}

std::vector<double> losses(Sequential& model, std::shared_ptr<Hook> hook = {}) {
  FitOptions options{.batch_size = 4, .epochs = 3, .verbose = 0};
  if (hook) options.callbacks = {hook};
  return model.fit(reentry_x(), reentry_y(), options)["loss"];
}

TEST(Reentry, PredictAndEvaluateInAHookChangeNothing) {
  for (const distribute::Strategy& strategy :
       {distribute::Strategy(), distribute::Strategy(distribute::Mirrored({.devices = {"cpu:0", "cpu:1"}}))}) {
    auto plain = reentry_model(strategy);
    const auto expected = losses(plain);
    auto model = reentry_model(strategy);
    std::vector<Tensor> seen;
    const auto got = losses(model, std::make_shared<Hook>([&] {
                              seen.push_back(model.predict(reentry_x()));
                              model.evaluate(reentry_x(), reentry_y(), {.verbose = 0});
                            }));
    EXPECT_EQ(got, expected);
    EXPECT_FALSE(at::equal(seen[0], seen[1])) << "predict must see the weights of its moment";
  }
}

TEST(Reentry, FitAndCompileInAHookAreRefused) {
  auto model = reentry_model();
  std::string fit_message, compile_message;
  losses(model, std::make_shared<Hook>([&] {
           fit_message = testing::message_of<InvalidArgument>([&] { losses(model); });
           compile_message =
               testing::message_of<InvalidArgument>([&] { model.compile({.optimizer = "sgd", .loss = "mse"}); });
         }));
  EXPECT_EQ(fit_message, "fit: model '" + model.name() + "' is being trained already");
  EXPECT_EQ(compile_message, "compile: model '" + model.name() + "' is in use by fit, evaluate or predict");
}

TEST(Reentry, TheLastHandleMayGoInAHook) {
  auto model = std::make_unique<Sequential>(reentry_model());
  auto hook = std::make_shared<Hook>([&] { *model = Sequential(); });
  EXPECT_EQ(losses(*model, hook).size(), 3u);
}

TEST(Reentry, AThrowingCallbackHasNoModelAfterwards) {
  auto model = reentry_model();
  auto hook = std::make_shared<Hook>([] { throw std::runtime_error("boom"); });
  EXPECT_THROW(losses(model, hook), std::runtime_error);
  EXPECT_FALSE(hook->has_model());
  EXPECT_EQ(losses(model).size(), 3u);
}

TEST(Reentry, ThreadsThatPredictWaitForOneAnother) {
  auto model = reentry_model();
  const Tensor x = reentry_x(), expected = model.predict(x);
  std::atomic<int> wrong = 0;
  const auto predict = [&](int64_t rows) {
    for (int i = 0; i < 50; ++i) wrong += !at::equal(model.predict(x.slice(0, 0, rows)), expected.slice(0, 0, rows));
  };
  std::thread first(predict, 16), second(predict, 16);
  first.join();
  second.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Reentry, LayersThatChangedWantANewCompile) {
  auto model = reentry_model();
  losses(model);
  model.add(Dense(3));
  EXPECT_EQ(testing::message_of<InvalidArgument>([&] { losses(model); }),
            "model '" + model.name() + "': its layers changed since it was first used; compile it again");
  EXPECT_NE(testing::message_of<InvalidArgument>([&] { model.add(model); }).find("must not be added to itself"),
            std::string::npos);
}

struct Scalar : Layer {
  Tensor call(const Tensor& x, const CallContext&) override { return x.mean(); }
  Shape output_shape(const Shape&) override { return {Shape::kUnknown}; }
};

TEST(Reentry, OutputsMustHaveTheirRows) {
  Sequential model({Input({4}), make_layer<Scalar>()});
  EXPECT_EQ(testing::message_of<InvalidArgument>([&] { model.predict(reentry_x()); }),
            "model '" + model.name() + "': output 0 must have 16 rows, as its input has, got ()");
}

TEST(Reentry, ValidationSplitDoesNotHideRowsThatDoNotMatch) {
  auto model = reentry_model();
  EXPECT_THROW(model.fit(reentry_x(), at::zeros({20, 3}), {.verbose = 0, .validation_split = 0.25}), InvalidArgument);
}

struct LateLayer : SubclassedModel {
  Dense always = track("always", Dense(3));
  Dense late = track("late", Dense(3));
  Tensor call(const Tensor& x, const CallContext& c) override { return c.training ? late(always(x), c) : always(x, c); }
};

TEST(Reentry, ALayerThatOnlyTrainingUsesIsNamed) {
  Model model = make_model<LateLayer>();
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const auto message =
      testing::message_of<InvalidArgument>([&] { model.fit(reentry_x(), reentry_y(), {.verbose = 0}); });
  EXPECT_NE(message.find("'late'"), std::string::npos) << message;
}

}  // namespace
}  // namespace tandem
