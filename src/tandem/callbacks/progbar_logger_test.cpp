// That fit draws one bar alone is tested with the model (model/callbacks_test.cpp).
#include "tandem/callbacks/progbar_logger.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <sstream>

#include "tandem/callbacks/callback_list.h"
#include "tandem/callbacks/fake_model_test.h"

namespace tandem {
namespace {

using callbacks::ProgbarLogger;

// The printed text without the times, which differ: "Epoch 1/2|1/1 - loss: 0.5000|".
std::string printed(const std::function<void()>& act) {
  ::testing::internal::CaptureStdout();
  act();
  std::istringstream text(::testing::internal::GetCapturedStdout());
  std::string out;
  for (std::string line; std::getline(text, line);) {
    const auto bar = line.find(' '), figures = line.find(" - ");
    out += line.starts_with("Epoch") ? line : line.substr(0, bar) + line.substr(std::min(figures, line.size()));
    out += "|";
  }
  return out;
}

TEST(ProgbarLogger, DrawsEpochsWithTheLogsOfItsPlace) {
  FakeModel model;
  const ProgbarLogger logger;
  EXPECT_EQ(printed([&] {
              train(*logger.object(), model, epochs_with("loss", {0.5, 0.25}));
            }),
            "Epoch 1/2|1/1 - loss: 0.5000|Epoch 2/2|1/1 - loss: 0.2500|");
}

TEST(ProgbarLogger, DrawsEvaluationAndPredictionButNoValidation) {
  FakeModel model;
  const auto logger = ProgbarLogger().object();
  logger->set_model(&model);
  Logs none, loss({{"loss", 2}});
  const auto evaluate = [&] {
    logger->on_test_begin(none);
    logger->on_test_batch_end(0, loss);
    logger->on_test_end(loss);
  };
  logger->set_params({1, 1, 1});
  EXPECT_EQ(printed(evaluate), "1/1 - loss: 2.0000|");
  EXPECT_EQ(printed([&] {
              logger->on_predict_begin(none);
              logger->on_predict_batch_end(0, none);
              logger->on_predict_end(none);
            }),
            "1/1|");
  EXPECT_EQ(printed([&] {
              logger->on_train_begin(none);
              logger->on_epoch_begin(0, none);
              logger->on_train_batch_end(0, loss);
              evaluate();
              logger->on_epoch_end(0, loss);
              logger->on_train_end(none);
            }),
            "1/1 - loss: 2.0000|");
  EXPECT_EQ(printed(evaluate), "1/1 - loss: 2.0000|") << "after the training";
  logger->set_params({1, 1, 0});
  EXPECT_EQ(printed(evaluate), "") << "verbose 0";
}

TEST(ProgbarLogger, IsKnownToDraw) {
  EXPECT_TRUE(CallbackList({std::make_shared<Callback>(), ProgbarLogger().object()}).draws_progress());
  EXPECT_FALSE(CallbackList({std::make_shared<Callback>()}).draws_progress());
}

}  // namespace
}  // namespace tandem
