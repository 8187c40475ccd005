// What is printed, and where it goes.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <regex>
#include <thread>

#include "made_up_images.h"
#include "run_tandem.h"

namespace tandem::testing {
namespace {

class Output : public ::testing::Test {
 protected:
  void SetUp() override { MadeUpImages().write(folder_.path()); }

  Ended train(Arguments flags) {
    flags.insert(flags.begin(), {"train", "minigooglenet", "--data", "cifar10:.", "--batch-size", "8", "--steps", "1"});
    return run_tandem(flags, folder_.path());
  }

  TemporaryFolder folder_;
};

TEST_F(Output, PipedHoldsNoControlCodes) {
  const auto ended = train({"--epochs", "1"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.err, "");
  EXPECT_NE(ended.out.find("1/1 ━━━━━━━━━━━━━━━━━━━━"), std::string::npos) << ended.out;
  EXPECT_EQ(ended.out.find_first_of("\x1b\r\b"), std::string::npos);
}

TEST_F(Output, Verbose2PrintsKerasLines) {
  const auto ended = train({"--epochs", "2", "--verbose", "2"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const std::string number = "[0-9.]+(e[-+][0-9]+)?";
  const std::string figures =
      " - accuracy: " + number + " - loss: " + number + " - val_accuracy: " + number + " - val_loss: " + number + "\n";
  const std::regex epochs("Epoch 1/2\n1/1 - [0-9]+s - [0-9]+(s|ms|us)/step" + figures +
                          "Epoch 2/2\n1/1 - [0-9]+s - [0-9]+(s|ms|us)/step" + figures + "$");
  EXPECT_TRUE(std::regex_search(ended.out, epochs)) << ended.out;
}

TEST_F(Output, Verbose0PrintsNothing) {
  const auto ended = train({"--epochs", "1", "--verbose", "0", "--history", "h.json"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.out, "");
  EXPECT_EQ(ended.err, "");
}

// A rate at which weights overflow: one warning with its step, the training goes on to its end, status 1.
TEST_F(Output, LossThatIsNotFinite) {
  const auto ended = train({"--epochs", "3", "--learning-rate", "1e30", "--schedule", "none", "--history", "h.csv"});
  EXPECT_EQ(ended.status, 1);
  const auto errors = lines_of(ended.err);
  ASSERT_EQ(errors.size(), 2u) << ended.err;
  EXPECT_TRUE(std::regex_match(errors[0], std::regex("tandem: warning: loss is -?(nan|inf) at step 1 of epoch 2 .*")))
      << errors[0];
  EXPECT_TRUE(std::regex_match(errors[1],
                               std::regex("tandem: the loss of epoch 2 is -?(nan|inf); try a smaller --learning-rate")))
      << errors[1];
  const auto history = lines_of(read_file(folder_.file("h.csv")));
  ASSERT_EQ(history.size(), 4u);
  EXPECT_EQ(history[0], "epoch,accuracy,loss,val_accuracy,val_loss");
  EXPECT_EQ(history[3].substr(0, 2), "2,");
}

// The reader of a pipe has gone, as head does: no complaint.
TEST_F(Output, PipeThatIsClosed) {
  const auto pipe = folder_.file("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::thread reader([&] { close(open(pipe.c_str(), O_RDONLY)); });
  const auto ended = run_tandem({"summary", "minigooglenet"}, folder_.path(), pipe);
  reader.join();
  EXPECT_EQ(ended.status, 128 + SIGPIPE);
  EXPECT_EQ(ended.err, "");
}

}  // namespace
}  // namespace tandem::testing
