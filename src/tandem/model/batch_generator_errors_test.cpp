// What is wrong with batches that a function gives, or cannot be done with them, is one line.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/layers/lstm.h"
#include "tandem/model/batch_generator_case_test.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using namespace layers;
using namespace generated;
using testing::message_of;

TEST(BatchGeneratorErrors, AreOneLine) {
  const auto refused = [](const Dataset& data, FitOptions options = {}) {
    options.verbose = 0;
    return message_of<Error>([&] { sums(2).fit(data, options); });
  };
  EXPECT_EQ(refused(stream(0)),
            "fit: the data must give at least one batch, got none; a BatchGenerator of one stream is spent once it has "
            "ended, one made with a function of the pass begins anew");
  EXPECT_EQ(message_of([] { sums(1).predict(passes(0)); }),
            "predict: the data must give at least one batch, got none; a BatchGenerator of one stream is spent once it "
            "has ended, one made with a function of the pass begins anew");
  EXPECT_EQ(refused(stream(5), {.class_weight = {{0, 2.0}}}),
            "fit: class_weight works on rows that are known by number, not on a BatchGenerator; have it give sample "
            "weights");
  EXPECT_EQ(refused(stream(5), {.validation_split = 0.5}),
            "fit: validation_split works on tensors, not on a BatchGenerator; give validation_data");
  EXPECT_EQ(refused(stream(5), {.sample_weight = at::ones({5})}),
            "fit: sample_weight works on tensors; a data set brings its own weights");
  EXPECT_EQ(message_of([] { sums(1).evaluate(stream(5), {.verbose = 0, .sample_weight = at::ones({5})}); }),
            "evaluate: sample_weight works on tensors; a data set brings its own weights");
  const Tensor x = at::ones({2, 2}), y = at::ones({2, 1});
  EXPECT_NE(refused(BatchGenerator([=] {
              return Batch{{x, x}, y};
            })).find("must get 1 inputs, got 2"),
            std::string::npos);
  EXPECT_NE(refused(BatchGenerator([=] {
              return Batch{x, {y, y}};
            })).find("must get as many losses and targets"),
            std::string::npos);
  EXPECT_EQ(refused(BatchGenerator([=, i = 0]() mutable {
              return Batch{i++ == 2 ? x.unsqueeze(2) : x, y};
            })),
            "batch 2 of epoch 0: x[0] must have 2 axes as in the first batch, got shape (2, 2, 1)");
  EXPECT_EQ(refused(BatchGenerator([](int64_t) { return data::NextBatch(); })),
            "epoch 0: BatchGenerator: a pass must be given a function that is not empty");
  Sequential keeps({Input({3, 2}, {.batch_size = 2}), LSTM(2, {.stateful = true}), Dense(1)});
  keeps.compile({.optimizer = "sgd", .loss = "mse"});
  EXPECT_NE(message_of([&] {
              keeps.fit(BatchGenerator([] { return Batch{at::ones({3, 3, 2}), at::ones({3, 1})}; }), {.verbose = 0});
            }).find("batch_size must be 2, got 3"),
            std::string::npos);
}

TEST(BatchGeneratorErrors, AStreamIsSpentOnce) {
  EXPECT_EQ(
      message_of([] { sums(1).fit(passes(5), {.epochs = 2, .verbose = 0, .validation_data = stream(4)}); }),
      "evaluate: the data must give at least one batch, got none; a BatchGenerator of one stream is spent once it "
      "has ended, one made with a function of the pass begins anew");
}

}  // namespace
}  // namespace tandem
