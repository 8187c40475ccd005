// A training that is interrupted and goes on from its backup.
#include "tandem/callbacks/backup_and_restore.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "tandem/callbacks/lambda_callback.h"
#include "tandem/core/random.h"
#include "tandem/distribution/mirrored.h"
#include "tandem/layers/dense.h"
#include "tandem/layers/dropout.h"
#include "tandem/layers/input.h"
#include "tandem/model/model.h"
#include "tandem/optimizers/adam.h"
#include "tandem/testing/captured_log.h"
#include "tandem/testing/message_of.h"
#include "tandem/testing/temporary_folder.h"

namespace tandem {
namespace {

using callbacks::BackupAndRestore;

const Tensor& backed_x() {
  static const Tensor x = RandomStream(31).normal({20, 4});
  return x;
}
const Tensor& backed_y() {
  static const Tensor y = RandomStream(32).normal({20, 2});
  return y;
}

Sequential backed_model(int64_t devices = 1) {
  set_random_seed(33);
  Sequential model(
      {layers::Input({4}), layers::Dense(8, {.activation = "tanh"}), layers::Dropout(0.3), layers::Dense(2)});
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.02}),
                 .loss = "mse",
                 .strategy = distribute::Mirrored(
                     {.devices = Devices::parse("cpu*" + std::to_string(devices)), .threads_per_device = 1})});
  return model;
}

// Five epochs in batches of six, shuffled; ends by an exception in a batch of `interrupted_in` where that is given.
History backed_fit(Sequential& model, const Handle<Callback>& backup, int64_t interrupted_in = -1) {
  int64_t epoch_now = 0;
  const callbacks::LambdaCallback interrupt({.on_epoch_begin = [&](int64_t epoch, Logs&) { epoch_now = epoch; },
                                             .on_train_batch_end =
                                                 [&](int64_t batch, Logs&) {
                                                   if (epoch_now == interrupted_in && batch == 1)
                                                     throw std::runtime_error("the machine went away");
                                                 }});
  return model.fit(backed_x(), backed_y(),
                   {.batch_size = 6, .epochs = 5, .verbose = 0, .callbacks = {backup, interrupt}});
}

class BackUp : public ::testing::Test {
 protected:
  std::string folder() const { return folder_.file("backup"); }
  bool has(const std::string& file) const { return std::filesystem::exists(folder() + "/" + file); }

 private:
  testing::TemporaryFolder folder_;
};

TEST_F(BackUp, AnInterruptedFitGoesOnWithTheSameNumbers) {
  for (const int64_t devices : {1, 2}) {
    auto whole = backed_model(devices);
    const auto history = whole.fit(backed_x(), backed_y(), {.batch_size = 6, .epochs = 5, .verbose = 0});
    {
      auto first = backed_model(devices);
      EXPECT_THROW(backed_fit(first, BackupAndRestore(folder()), 3), std::runtime_error);
    }
    ASSERT_TRUE(has("latest.weights.h5"));
    ASSERT_TRUE(has("training_metadata.json"));
    auto second = backed_model(devices);
    const auto rest = backed_fit(second, BackupAndRestore(folder()));
    EXPECT_EQ(rest.epoch(), (std::vector<int64_t>{3, 4}));
    EXPECT_EQ(rest["loss"], std::vector<double>(history["loss"].begin() + 3, history["loss"].end()));
    const auto got = second.get_weights(), want = whole.get_weights();
    for (std::size_t i = 0; i < want.size(); ++i) EXPECT_TRUE(at::equal(got[i], want[i])) << i;
    EXPECT_FALSE(std::filesystem::exists(folder())) << "removed when training has ended";
  }
}

TEST_F(BackUp, ByBatchesBeginsTheEpochAgain) {
  auto first = backed_model();
  EXPECT_THROW(backed_fit(first, BackupAndRestore(folder(), {.save_freq = 3}), 2), std::runtime_error);
  std::ifstream in(folder() + "/training_metadata.json");
  const Config about = Config::from_json(std::string(std::istreambuf_iterator<char>(in), {}));
  // Four batches an epoch: saved after the 3rd, 6th and 9th, which is the first of the third epoch.
  EXPECT_EQ(about.at("epoch").as_int(), 2);
  EXPECT_EQ(about.at("batch").as_int(), 0);
  EXPECT_EQ(about.at("steps").as_int(), 9);
  auto second = backed_model();
  EXPECT_EQ(backed_fit(second, BackupAndRestore(folder(), {.delete_checkpoint = false})).epoch(),
            (std::vector<int64_t>{2, 3, 4}));
  EXPECT_TRUE(has("latest.weights.h5"));
  auto third = backed_model();
  EXPECT_TRUE(backed_fit(third, BackupAndRestore(folder())).epoch().empty()) << "there is nothing left to train";
}

TEST_F(BackUp, ADamagedOneIsReplacedByTheOneBefore) {
  auto first = backed_model();
  EXPECT_THROW(backed_fit(first, BackupAndRestore(folder(), {.double_checkpoint = true}), 3), std::runtime_error);
  ASSERT_TRUE(has("latest.weights.h5.bkp"));
  std::ofstream(folder() + "/latest.weights.h5", std::ios::binary) << "damaged";
  const testing::CapturedLog log;
  auto second = backed_model();
  EXPECT_EQ(backed_fit(second, BackupAndRestore(folder(), {.delete_checkpoint = false})).epoch(),
            (std::vector<int64_t>{2, 3, 4}));
  EXPECT_EQ(log.warnings().size(), 1U);

  std::filesystem::remove(folder() + "/latest.weights.h5.bkp");
  std::ofstream(folder() + "/latest.weights.h5", std::ios::binary) << "damaged";
  auto third = backed_model();
  EXPECT_NE(
      testing::message_of<DataError>([&] { backed_fit(third, BackupAndRestore(folder())); }).find("latest.weights"),
      std::string::npos);
}

TEST_F(BackUp, MetadataOfKerasAreEnoughAndDamagedOnesAreNamed) {
  auto first = backed_model();
  EXPECT_THROW(backed_fit(first, BackupAndRestore(folder()), 3), std::runtime_error);
  const auto fit_with = [&](const std::string& metadata) {
    std::ofstream(folder() + "/training_metadata.json") << metadata;
    auto model = backed_model();
    return backed_fit(model, BackupAndRestore(folder(), {.delete_checkpoint = false}));
  };
  EXPECT_EQ(fit_with(R"({"epoch": 4, "batch": 0})").epoch(), (std::vector<int64_t>{4}));
  for (const char* damaged : {"{\"epoch\": 4", "{}", R"({"epoch": -1})"}) {
    const auto message = testing::message_of<DataError>([&] { fit_with(damaged); });
    EXPECT_NE(message.find("training_metadata.json"), std::string::npos) << message;
  }
}

TEST(BackupAndRestore, RefusesWhatCannotWork) {
  EXPECT_NE(testing::message_of([] { BackupAndRestore(""); }).find("backup_dir"), std::string::npos);
  EXPECT_NE(testing::message_of([] { BackupAndRestore("b", {.save_freq = 0}); }).find("save_freq"), std::string::npos);
}

}  // namespace
}  // namespace tandem
