#include "tandem/core/logs.h"

#include <gtest/gtest.h>

#include "tandem/core/error.h"

namespace tandem {
namespace {

TEST(Logs, KeepsTheOrderInWhichNamesWereSet) {
  Logs logs;
  EXPECT_TRUE(logs.empty());
  logs.set("loss", 2.0);
  logs.set("accuracy", 0.5);
  logs.set("loss", 1.5);
  ASSERT_EQ(logs.size(), 2U);
  EXPECT_EQ(logs.begin()->first, "loss");
  EXPECT_EQ(logs["loss"], 1.5);
  EXPECT_EQ(logs.at("accuracy"), 0.5);
  EXPECT_TRUE(logs.contains("loss"));
  EXPECT_FALSE(logs.contains("val_loss"));
}

TEST(Logs, NamesWhatIsThereWhenAFigureIsMissing) {
  const Logs logs({{"val_loss", 1.0}});
  try {
    logs.at("val_los");
    FAIL() << "must throw";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "log entry 'val_los' is not known; did you mean 'val_loss'?");
  }
}

}  // namespace
}  // namespace tandem
