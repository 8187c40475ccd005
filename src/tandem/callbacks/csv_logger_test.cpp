#include "tandem/callbacks/csv_logger.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>

#include "tandem/callbacks/fake_model_test.h"
#include "tandem/core/error.h"
#include "tandem/testing/message_of.h"

namespace tandem {
namespace {

using callbacks::CSVLogger;
using testing::message_of;

class CSVLoggerFile : public ::testing::Test {
 protected:
  CSVLoggerFile() : path_(::testing::TempDir() + "csv_logger_test.csv") { std::filesystem::remove(path_); }
  ~CSVLoggerFile() override { std::filesystem::remove(path_); }
  std::string text() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // Calls the hooks of a training whose first epoch is `first`.
  static void log(const CSVLogger& logger, int64_t first, std::vector<Logs> epochs) {
    Logs none;
    logger.object()->on_train_begin(none);
    for (auto& logs : epochs) logger.object()->on_epoch_end(first++, logs);
    logger.object()->on_train_end(none);
  }

  const std::string path_;
};

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST_F(CSVLoggerFile, BytesAsKerasWritesThem) {  // recorded from keras 3.15.1 for the same logs
  log(CSVLogger(path_), 0,
      {Logs({{"loss", 0.1}, {"accuracy", 1}, {"learning_rate", 0.05000000074505806}}),
       Logs({{"loss", 1e-5}, {"accuracy", 123456789}, {"learning_rate", 1e16}}),
       Logs({{"loss", std::numeric_limits<double>::quiet_NaN()}, {"learning_rate", -kInfinity}, {"later", 3}})});
  std::string want =
      "epoch,accuracy,learning_rate,loss,val_accuracy,val_learning_rate,val_loss\r\n"
      "0,1.0,0.05000000074505806,0.1,NA,NA,NA\r\n1,123456789.0,1e+16,1e-05,NA,NA,NA\r\n2,NA,-inf,nan,NA,NA,NA\r\n";
  EXPECT_EQ(text(), want);
  log(CSVLogger(path_, {.separator = ";", .append = true}), 3,
      {Logs({{"loss", 0.25}, {"val_loss", 0.1234567890123456789}, {"a,b", kInfinity}, {"c;d\"e", 1e22}})});
  want += "3;inf;1e+22;0.25;0.12345678901234568\r\n";
  EXPECT_EQ(text(), want);
}

TEST_F(CSVLoggerFile, AppendsInASecondTrainingWithoutAnotherLineOfNames) {  // recorded from keras 3.15.1
  const CSVLogger logger(path_, {.separator = ".", .append = true});
  log(logger, 0, {Logs({{"loss", 0.5}, {"val_loss", 2e-7}})});
  log(logger, 1, {Logs({{"loss", 1.5}, {"val_loss", -0.0}})});
  EXPECT_EQ(text(), "epoch.loss.val_loss\r\n0.\"0.5\".2e-07\r\n1.\"1.5\".\"-0.0\"\r\n");
}

TEST_F(CSVLoggerFile, OverwritesWithoutAppend) {
  std::ofstream(path_) << "old";
  log(CSVLogger(path_), 0, {Logs({{"loss", 1}, {"val_loss", 2}})});
  EXPECT_EQ(text(), "epoch,loss,val_loss\r\n0,1.0,2.0\r\n");
}

TEST_F(CSVLoggerFile, QuotesNamesThatHoldTheSeparatorOrAQuote) {
  log(CSVLogger(path_), 0, {Logs({{"val_a,b", 1}, {"val_c\"d", 2}})});
  EXPECT_EQ(text(), "epoch,\"val_a,b\",\"val_c\"\"d\"\r\n0,1.0,2.0\r\n");
}

TEST_F(CSVLoggerFile, RefusesWhatCannotBeWritten) {
  for (const char* separator : {"", ", ", "\n", "\""}) {
    EXPECT_NE(message_of([&] { CSVLogger(path_, {.separator = separator}); }).find("separator must be one character"),
              std::string::npos);
  }
  EXPECT_EQ(CSVLogger(path_, {.separator = "·"}).object()->class_name(), "CSVLogger") << "one character of two bytes";
  const CSVLogger nowhere("/dev/null/log.csv");
  EXPECT_EQ(message_of<DataError>([&] { log(nowhere, 0, {}); }),
            "CSVLogger: folder '/dev/null' cannot be made: Not a directory");
  if (std::filesystem::exists("/dev/full")) {
    EXPECT_EQ(message_of<DataError>([&] {
                log(CSVLogger("/dev/full"), 0, {Logs({{"loss", 1}})});
              }),
              "CSVLogger: file '/dev/full' cannot be written: No space left on device");
  }
}

}  // namespace
}  // namespace tandem
