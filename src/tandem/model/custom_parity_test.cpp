// What users write themselves trains on several devices as on one: layers, losses, metrics, models with steps of their
// own, nested models, LibTorch modules.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/nn/cloneable.h>
#include <torch/nn/modules.h>

#include "tandem/core/random.h"
#include "tandem/layers/constraints.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/dropout.h"
#include "tandem/layers/flatten.h"
#include "tandem/layers/input.h"
#include "tandem/layers/torch_module.h"
#include "tandem/losses/function.h"
#include "tandem/metrics/function.h"
#include "tandem/model/parity_case_test.h"
#include "tandem/optimizers/sgd.h"
#include "tandem/testing/closeness.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using namespace layers;
using namespace parity;

CompileOptions least_squares() {
  return {.optimizer = optimizers::SGD({.learning_rate = 0.05, .momentum = 0.9}), .loss = "mse", .metrics = {"mae"}};
}
Task regression(std::function<Model()> build, CompileOptions compile = least_squares()) {
  return {std::move(build), std::move(compile), normal({13, 6}, 1), normal({13, 2}, 2), {.batch_size = 5, .epochs = 3}};
}

// A weight of each kind that add_weight offers, and a loss of its own.
struct Gain : Layer {
  void build(const Shape& input) override {
    gain_ = add_weight("gain", {input.back()}, {.initializer = "ones", .regularizer = "l2", .constraint = "non_neg"});
    offset_ = add_weight("offset", {input.back()}, {.initializer = "ones", .trainable = false});
  }
  Tensor call(const Tensor& x, const CallContext& context) override {
    const Tensor y = x * gain_.value() + offset_.value();
    context.add_loss(0.01 * y.square().mean());
    return y;
  }
  Weight gain_, offset_;
};

// A layer made of layers.
struct Block : Layer {
  Dense wide = track("wide", Dense(8, {.activation = "tanh"}));
  Dense narrow = track("narrow", Dense(6));
  void build(const Shape& input) override {
    wide->ensure_built({input});
    narrow->ensure_built({{input[0], 8}});
  }
  Tensor call(const Tensor& x, const CallContext& context) override { return x + narrow(wide(x, context), context); }
};

TEST(CustomParity, Layers) {
  const auto build = [] {
    return Sequential({Input({6}), make_layer<Gain>(), make_layer<Block>(), make_layer<Block>(), Dense(2)});
  };
  EXPECT_EQ(build().trainable_weights().size(), 1U + 4 + 4 + 2);
  EXPECT_EQ(build().non_trainable_weights().size(), 1U);
  expect_parity(regression(build));
}

TEST(CustomParity, AnAddedLossIsAMeanOverRows) {  // 0.01 mean(y^2) beside an mse of 0
  for (int64_t n : {1, 2, 3}) {
    Sequential model({Input({2}), make_layer<Gain>()});
    model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.0}),
                   .loss = losses::function([](const Tensor&, const Tensor& p) { return (p * 0).mean(1); }),
                   .strategy = on_devices(n)});
    const Tensor x = at::tensor({0.0F, 1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 6.0F, 7.0F, 8.0F, 9.0F}).view({5, 2});
    const double want = 0.01 * (x + 1).square().mean().item<double>() + 0.01 * 2;  // and l2 of two ones
    EXPECT_NEAR(model.fit(x, x, {.batch_size = 5, .verbose = 0})["loss"][0], want, 1e-6) << n;
    EXPECT_NEAR(model.evaluate(x, x, {.batch_size = 5, .verbose = 0})["loss"], want, 1e-6) << n;
  }
}

TEST(CustomParity, ConstraintsHoldAfterEveryUpdate) {
  const auto build = [] {
    return Sequential(
        {Input({6}), Dense(2, {.kernel_constraint = constraints::NonNeg(), .bias_constraint = "non_neg"})});
  };
  expect_parity(regression(build));
  EXPECT_GE(train(regression(build), 2).weights[0].min().item<double>(), 0);
}

TEST(CustomParity, LossAndMetricFunctions) {
  const auto build = [] { return Sequential({Input({6}), Dense(4, {.activation = "tanh"}), Dense(2)}); };
  expect_parity(regression(
      build, {.optimizer = "sgd",
              .loss = losses::function([](const Tensor& y, const Tensor& p) { return (y - p).abs().pow(1.5).sum(1); }),
              .metrics = {metrics::function(
                  "largest", [](const Tensor& y, const Tensor& p) { return std::get<0>((y - p).abs().max(1)); })}}));
}

TEST(CustomParity, NestedModels) {
  const auto build = [] {
    const auto inner = Input({6});
    const Model encoder(inner, Dense(4, {.activation = "tanh"})(Dense(5)(inner)), "encoder");
    const auto x = Input({6});
    return Model(x, Dense(2)(Sequential({encoder, Dense(3)})(x)));
  };
  expect_parity(regression(build));
}

// A step of its own: two losses, one update each, of its own weights.
struct TwoHeads : SubclassedModel {
  Dense first = track("first", Dense(2)), second = track("second", Dense(2));
  Dropout drop = track("drop", Dropout(0.25));
  Tensor call(const Tensor& x, const CallContext& context) override {
    return first(drop(x, context), context) + second(x, context);
  }
  void train_step(Step& step) override {
    const Tensor y_pred = call(step.x()[0], step.context());
    const Tensor loss = step.compute_loss(y_pred);
    step.minimize(loss * 2, first.weights());
    const Tensor apart = (second(step.x()[0], step.context()) - step.y()[0]).square().mean();
    step.minimize(apart, second.weights());
    step.report("apart", apart);
    step.update_metrics(y_pred);
  }
};

TEST(CustomParity, AModelsOwnTrainStep) {
  Task task = regression([] { return make_model<TwoHeads>(); });
  task.updates_in_parts = true;
  expect_parity(task);
  Task few = task;
  few.fit.batch_size = 2;  // devices without rows follow what the others do
  expect_parity(few, {4});
  EXPECT_EQ(train(few, 1).history["apart"].size(), 3U);
}

TEST(CustomParity, ALoopOfItsOwnNeedsNoCompiledLoss) {
  struct Own : SubclassedModel {
    Dense out = track("out", Dense(2));
    Tensor call(const Tensor& x, const CallContext& context) override { return out(x, context); }
    void train_step(Step& step) override {
      const Tensor loss = (out(step.x()[0], step.context()) - step.y()[0]).square().mean();
      step.minimize(loss);
      step.report("loss", loss);
    }
    void test_step(Step& step) override {
      step.report("worst", (out(step.x()[0], step.context()) - step.y()[0]).abs().mean());
    }
  };
  const auto results = [](int64_t n) {
    set_random_seed(3);
    Model model = make_model<Own>();
    model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1}), .strategy = on_devices(n)});
    const Tensor x = normal({9, 4}, 1), y = normal({9, 2}, 2);
    const auto history = model.fit(x, y, {.batch_size = 4, .epochs = 2, .verbose = 0, .validation_data = {x, y}});
    EXPECT_LT(history["loss"][1], history["loss"][0]);
    EXPECT_EQ(history.count("val_loss"), 0U);
    return history["val_worst"];
  };
  EXPECT_EQ(testing::difference(at::tensor(results(3)), at::tensor(results(1)), 1e-5), "");
}

TEST(CustomParity, WhatAStepCannotMeanIsRefused) {
  struct Odd : SubclassedModel {
    explicit Odd(std::function<void(Step&, const Tensor&)> act) : act_(std::move(act)) {}
    Dense out = track("out", Dense(2));
    Tensor call(const Tensor& x, const CallContext& context) override { return out(x, context); }
    void train_step(Step& step) override { act_(step, step.compute_loss(call(step.x()[0], step.context()))); }
    std::function<void(Step&, const Tensor&)> act_;
  };
  const auto message = [](std::function<void(Step&, const Tensor&)> act) {
    Model model = make_model<Odd>(std::move(act));
    model.compile({.optimizer = "sgd", .loss = "mse", .metrics = {"mae"}, .strategy = on_devices(2)});
    return testing::message_of([&] {
      model.fit(normal({4, 3}, 1), normal({4, 2}, 2), {.batch_size = 4, .verbose = 0});
    });
  };
  EXPECT_NE(message([](Step& s, const Tensor& loss) { s.minimize(loss.detach()); }).find("without a gradient"),
            std::string::npos);
  EXPECT_NE(message([](Step& s, const Tensor& loss) { s.minimize(loss.expand({2})); }).find("must get a scalar"),
            std::string::npos);
  EXPECT_NE(
      message([](Step& s, const Tensor& loss) { s.minimize(loss, {Weight()}); }).find("must be a trainable weight"),
      std::string::npos);
  EXPECT_NE(message([](Step& s, const Tensor&) { s.update_metrics({}); }).find("must get the model's outputs"),
            std::string::npos);
  EXPECT_NE(message([](Step& s, const Tensor&) {
              s.context().add_loss(at::ones({3}));
              s.compute_loss(s.y());
            }).find("add_loss: must get a scalar"),
            std::string::npos);
}

TEST(CustomParity, TiedParametersAreRefused) {
  struct Tied : torch::nn::Module {
    Tied() : inner(register_module("inner", torch::nn::Linear(3, 3))) { register_parameter("again", inner->weight); }
    Tensor forward(const Tensor& x) { return inner->forward(x); }
    torch::nn::Linear inner;
  };
  Sequential model({Input({3}), TorchModule(std::make_shared<Tied>())});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const auto fit = [&] { model.fit(normal({4, 3}, 1), normal({4, 3}, 2), {.verbose = 0}); };
  EXPECT_NE(testing::message_of(fit).find("share their memory"), std::string::npos);
}

TEST(CustomParity, ReplicasWhoseStepsGoApartAreTold) {
  struct Uneven : SubclassedModel {
    Dense out = track("out", Dense(2));
    Tensor call(const Tensor& x, const CallContext& context) override { return out(x, context); }
    void train_step(Step& step) override {
      const Tensor loss = step.compute_loss(call(step.x()[0], step.context()));
      if (step.context().first_row == 0) step.minimize(loss);  // the first replica alone
    }
  };
  Model model = make_model<Uneven>();
  model.compile({.optimizer = "sgd", .loss = "mse", .strategy = on_devices(2)});
  const auto fit = [&] { model.fit(normal({4, 3}, 1), normal({4, 2}, 2), {.batch_size = 4, .verbose = 0}); };
  EXPECT_NE(testing::message_of(fit).find("every replica must call minimize and compute_loss in the same order"),
            std::string::npos);
}

TEST(CustomParity, SeveralOutputsAreCompiledBeforeTheFirstData) {
  struct Pair : SubclassedModel {
    Dense one = track("one", Dense(2)), two = track("two", Dense(3));
    Tensors call_many(const Tensors& x, const CallContext& context) override {
      return {one(x[0], context), two(x[0], context)};
    }
  };
  Model model = make_model<Pair>();
  model.compile({.optimizer = "sgd", .loss = {"mse", "mae"}, .strategy = on_devices(2)});
  const Tensor x = normal({6, 4}, 1).to(at::kDouble);  // as Keras, reals of another size are cast
  const auto history =
      model.fit(x, {normal({6, 2}, 2), normal({6, 3}, 3)}, {.batch_size = 3, .epochs = 2, .verbose = 0});
  EXPECT_EQ(history["output_1_loss"].size(), 2U);
  EXPECT_LT(history["output_2_loss"][1], history["output_2_loss"][0]);
  const auto complex = [&] { model.predict_all(data::TensorDataset(at::zeros({2, 4}, at::kComplexFloat))); };
  EXPECT_NE(testing::message_of(complex).find("inputs must be real numbers"), std::string::npos);
}

TEST(CustomParity, TorchModules) {
  const auto linear = [] {
    torch::nn::Sequential body(torch::nn::Linear(6, 8), torch::nn::Tanh());
    at::NoGradGuard no_grad;  // LibTorch's own draws are not Tandem's
    uint64_t key = 0;
    for (auto& p : body->parameters()) p.copy_(normal(Shape::of(p.sizes().vec()), ++key) * 0.3);
    return Sequential({Input({6}), TorchModule(body, {.name = "body"}), Dense(2)});
  };
  expect_parity(regression(linear));

  struct Net : torch::nn::Module {  // no clone(): a function makes one for each replica
    Net() : inner(register_module("inner", torch::nn::Linear(6, 2))) {}
    Tensor forward(const Tensor& x) { return inner->forward(x).tanh(); }
    torch::nn::Linear inner;
  };
  const auto made = [] {
    return Sequential({Input({6}), TorchModule([] {
                         auto net = std::make_shared<Net>();
                         at::NoGradGuard no_grad;
                         net->inner->weight.copy_(normal({2, 6}, 5));
                         net->inner->bias.zero_();
                         return net;
                       })});
  };
  expect_parity(regression(made));
  Sequential alone({Input({6}), TorchModule(std::make_shared<Net>(), {.name = "net"})});
  const auto message = testing::message_of<InvalidArgument>(
      [&] { alone.compile({.optimizer = "sgd", .loss = "mse", .strategy = on_devices(2)}); });
  EXPECT_NE(message.find("layer 'net' (TorchModule)"), std::string::npos) << message;
  EXPECT_NE(message.find("cannot be cloned"), std::string::npos) << message;
  alone.compile({.optimizer = "sgd", .loss = "mse", .strategy = on_devices(1)});
  const auto history = alone.fit(normal({8, 6}, 1), normal({8, 2}, 2), {.batch_size = 4, .epochs = 4, .verbose = 0});
  EXPECT_LT(history["loss"].back(), history["loss"].front());
}

TEST(CustomParity, ChannelsFirstModulesKeepTheirStatistics) {
  torch::nn::Sequential body(torch::nn::Conv2d(torch::nn::Conv2dOptions(2, 3, 3).padding(1)), torch::nn::BatchNorm2d(3),
                             torch::nn::ReLU());
  Sequential model({Input({4, 5, 2}), TorchModule(body, {.layout = "channels_first"}), Flatten(), Dense(1)});
  EXPECT_EQ(model.layers()[0]->output_shapes({{Shape::kUnknown, 4, 5, 2}}), (Shapes{{Shape::kUnknown, 4, 5, 3}}));
  const Tensor x = normal({8, 4, 5, 2}, 1);
  EXPECT_EQ(testing::difference(
                model.predict(x),
                [&] {
                  body->eval();
                  const Tensor y = body->forward(x.permute({0, 3, 1, 2})).permute({0, 2, 3, 1}).reshape({8, 60});
                  const auto weights = model.get_weights();
                  return y.matmul(weights[weights.size() - 2]) + weights.back();
                }(),
                1e-5),
            "");
  model.compile({.optimizer = "sgd", .loss = "mse", .strategy = on_devices(2)});
  model.fit(x, normal({8, 1}, 2), {.batch_size = 4, .epochs = 2, .verbose = 0});
  const auto buffers = body->named_buffers();
  EXPECT_EQ(buffers["1.num_batches_tracked"].item<int64_t>(), 4);
  EXPECT_GT(buffers["1.running_mean"].abs().sum().item<double>(), 0) << "the module given must hold what was learned";
}

TEST(CustomParity, ALayerThatIsNotRegisteredIsNamedAtCompile) {  // U13
  struct Forgot : SubclassedModel {
    Dense kept = track("kept", Dense(3));
    Dense lost = Dense(2, {.name = "lost"});
    Tensor call(const Tensor& x, const CallContext& context) override { return lost(kept(x, context), context); }
  };
  Model model = make_model<Forgot>();
  const auto message =
      testing::message_of<InvalidArgument>([&] { model.compile({.optimizer = "sgd", .loss = "mse"}); });
  EXPECT_NE(message.find("layer 'lost' (Dense) is a member of"), std::string::npos) << message;
  EXPECT_NE(message.find("track"), std::string::npos) << message;

  const Dense outside(2, {.name = "outside"});  // made elsewhere: found when it is called
  outside->ensure_built({{Shape::kUnknown, 3}});
  struct Borrows : SubclassedModel {
    explicit Borrows(Dense layer) : borrowed(std::move(layer)) {}
    Dense kept = track("kept", Dense(3));
    Dense borrowed;
    Tensor call(const Tensor& x, const CallContext& context) override { return borrowed(kept(x, context), context); }
  };
  Model other = make_model<Borrows>(outside);
  other.compile({.optimizer = "sgd", .loss = "mse", .strategy = on_devices(1)});  // a GPU would have no copy of it
  const auto fit = [&] { other.fit(at::ones({4, 3}), at::ones({4, 2}), {.verbose = 0}); };
  const auto called = testing::message_of<InvalidArgument>(fit);
  EXPECT_NE(called.find("layer 'outside' (Dense)"), std::string::npos) << called;
  outside->set_trainable(false);
  EXPECT_NO_THROW(fit()) << "a frozen helper is no part of the model";
}

}  // namespace
}  // namespace tandem
