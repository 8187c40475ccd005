// What a pipeline is given: inputs that do not fit are refused as elsewhere.
#include <gtest/gtest.h>

#include "tandem/distribution/mesh.h"
#include "tandem/distribution/pipeline_parallel.h"
#include "tandem/layers/add.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/flatten.h"
#include "tandem/layers/input.h"
#include "tandem/layers/lstm.h"
#include "tandem/model/parity_case_test.h"
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

}  // namespace
}  // namespace tandem
