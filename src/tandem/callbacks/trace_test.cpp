#include "tandem/callbacks/trace.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tandem/callbacks/fake_model_test.h"
#include "tandem/core/config.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/temporary_folder.h"

namespace tandem {
namespace {

TEST(TraceCallback, RecordsTheBatchesThatItIsTold) {
  const testing::TemporaryFolder folder;
  const auto path = folder.file("deep/trace.json");
  FakeModel model;
  const auto callback = callbacks::Trace(path, {.first_batch = 1, .batches = 2}).get();
  callback->set_model(&model);
  Logs logs;
  std::vector<bool> recorded;
  callback->on_train_begin(logs);
  for (int64_t batch = 0; batch < 4; ++batch) {
    callback->on_train_batch_begin(batch, logs);
    recorded.push_back(model.recording);
    if (batch == 1) model.spans.push_back({"cpu:0", "dense", false, 1, 2});
    callback->on_train_batch_end(batch, logs);
  }
  callback->on_train_end(logs);
  EXPECT_EQ(recorded, (std::vector<bool>{false, true, true, false}));
  EXPECT_EQ(Config::from_json(testing::file_bytes(path)).at("traceEvents").as_list().back().at("name").as_string(),
            "dense");
}

TEST(TraceCallback, ATrainingThatEndsBeforeWritesWhatThereIs) {
  const testing::TemporaryFolder folder;
  const auto path = folder.file("trace.json");
  FakeModel model;
  const auto callback = callbacks::Trace(path).get();
  train(*callback, model, epochs_with("loss", {3, 2}));
  EXPECT_FALSE(model.recording);
  EXPECT_TRUE(std::filesystem::exists(path));
}

TEST(TraceCallback, RefusesNumbersOutOfRange) {
  EXPECT_EQ(testing::message_of([] { callbacks::Trace("a.json", {.first_batch = -1}); }),
            "Trace: first_batch must not be negative, got -1");
  EXPECT_EQ(testing::message_of([] { callbacks::Trace("a.json", {.batches = 0}); }),
            "Trace: batches must be positive, or -1 for all that follow, got 0");
}

}  // namespace
}  // namespace tandem
