// What a pipeline is given: inputs that do not fit are refused as elsewhere, axes may have any size.
#include <gtest/gtest.h>

#include "tandem/distribution/mesh.h"
#include "tandem/distribution/pipeline_parallel.h"
#include "tandem/distribution/single_device.h"
#include "tandem/layers/add.h"
#include "tandem/layers/conv2d.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/flatten.h"
#include "tandem/layers/global_max_pooling2d.h"
#include "tandem/layers/input.h"
#include "tandem/layers/lstm.h"
#include "tandem/layers/max_pooling2d.h"
#include "tandem/model/parity_case_test.h"
#include "tandem/optimizers/sgd.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using namespace layers;
using namespace parity;

// Two stages, and two stages of divided layers.
std::vector<distribute::Strategy> staged() {
  return {distribute::PipelineParallel({.devices = Devices::parse("cpu*2"), .threads_per_device = 1}),
          distribute::Mesh({.devices = Devices::parse("cpu*4"), .pipe = 2, .tensor = 2, .threads_per_device = 1})};
}

// Of each call with x, under each strategy; training goes on afterwards.
void expect_refused(const std::function<Model()>& build, const Tensors& x, const Tensors& good,
                    const std::string& message) {
  for (const auto& strategy : staged()) {
    SCOPED_TRACE(strategy->name());
    Model model = build();
    model.compile({.optimizer = "sgd", .loss = "mse", .strategy = strategy});
    const Tensor y = normal({8, 2}, 9);
    for (const auto& call : std::vector<std::function<void()>>{
             [&] { model.fit(x, y, {.batch_size = 8, .verbose = 0}); },
             [&] { model.evaluate(x, y, {.batch_size = 8, .verbose = 0}); },
             [&] { model.predict_all(data::TensorDataset(x), {.batch_size = 8}); },
         })
      EXPECT_EQ(testing::message_of(call), message);
    EXPECT_TRUE(std::isfinite(model.train_on_batch(good, y)["loss"]));
  }
}

TEST(PipelineInputs, MustFitTheModel) {
  expect_refused(
      [] {
        return Sequential({Input({4, 4}, {.name = "in"}), Flatten(), Dense(6), Dense(2)}, "flat");
      },
      normal({8, 16}, 1), normal({8, 4, 4}, 1), "model 'flat': input 'in' must have shape (None, 4, 4), got (8, 16)");
  expect_refused(
      [] {
        return Sequential({Input({4, 3}, {.name = "in"}), LSTM(6), Dense(4), Dense(2)}, "steps");
      },
      normal({8, 4, 5}, 1), normal({8, 4, 3}, 1),
      "model 'steps': input 'in' must have shape (None, 4, 3), got (8, 4, 5)");
}

TEST(PipelineInputs, MustBeAsManyAsTheModelHas) {
  const auto build = [] {
    const auto a = Input({4}), b = Input({3});
    return Model({a, b}, Dense(2)(Add()({Dense(4)(a), Dense(4)(b)})), "two");
  };
  const Tensor a = normal({8, 4}, 1), b = normal({8, 3}, 2);
  expect_refused(build, {a}, {a, b}, "model 'two': must get 2 inputs, got 1");
  expect_refused(build, {a, b, b}, {a, b}, "model 'two': must get 2 inputs, got 3");
}

// Where the model is cut is measured before anybody knows how large the pictures are.
TEST(PipelineInputs, MayHaveAxesOfAnySize) {
  const auto build = [] {
    const auto x = Input({Shape::kUnknown, Shape::kUnknown, 3});
    const auto y = MaxPooling2D(2)(Conv2D(4, 3, {.activation = "relu"})(x));
    return Model(x, Dense(2)(GlobalMaxPooling2D()(Conv2D(6, 3)(y))));
  };
  const Task task{build,
                  {.optimizer = optimizers::SGD({.learning_rate = 0.05}), .loss = "mse"},
                  normal({11, 12, 9, 3}, 1),
                  normal({11, 2}, 2),
                  {.batch_size = 4, .epochs = 2}};
  const auto one = train(task, distribute::SingleDevice("cpu:0"));
  for (const auto& strategy : staged()) {
    SCOPED_TRACE(strategy->name());
    expect_same(train(task, strategy), one);
  }
}

}  // namespace
}  // namespace tandem
