// SIGINT, SIGTERM and SIGHUP while a training runs.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include "made_up_images.h"
#include "run_tandem.h"
#include "tandem/core/config.h"

namespace tandem::testing {
namespace {

constexpr auto kLine = "tandem: interrupted: training ends after this step; another signal leaves at once\n";

class Interruption : public ::testing::Test {
 protected:
  // A training of `epochs` epochs that writes m.weights.h5, h.json and p.png.
  Running start(const std::string& epochs, const std::string& batch_size) {
    return Running({"train", "minigooglenet", "--data", "cifar10:.", "--epochs", epochs, "--batch-size", batch_size,
                    "--verbose", "2", "--save", "m.weights.h5", "--history", "h.json", "--output", "p.png"},
                   folder_.path());
  }
  bool has(const std::string& file) const { return std::filesystem::exists(folder_.file(file)); }

  TemporaryFolder folder_;
};

TEST_F(Interruption, TheFirstSignalEndsTheTrainingAndSaves) {
  MadeUpImages().write(folder_.path());
  for (const auto& [signal, status] : {std::pair(SIGINT, 130), std::pair(SIGTERM, 143), std::pair(SIGHUP, 129)}) {
    auto running = start("100000", "8");
    running.await_output("Epoch 2/100000");
    running.send(signal);
    const auto ended = running.wait();
    EXPECT_EQ(ended.status, status);
    EXPECT_EQ(ended.err, kLine);
    const auto history = Config::from_json(read_file(folder_.file("h.json")));
    EXPECT_EQ(history.at("interrupted"), Config(true));
    EXPECT_GE(history.at("loss").as_list().size(), 1u);
    for (const char* file : {"m.weights.h5", "p.png"}) EXPECT_TRUE(has(file)) << file;
    std::filesystem::remove(folder_.file("h.json"));
  }
}

// A step or two, then some thousand images to validate on: the signal comes in the midst of these.
TEST_F(Interruption, AValidationIsLeft) {
  MadeUpImages{.train = 16, .test = 6000}.write(folder_.path());
  auto running = start("1", "8");
  running.await_output("mean image subtracted");
  std::this_thread::sleep_for(std::chrono::milliseconds(700));
  running.send(SIGINT);
  const auto ended = running.wait();
  EXPECT_EQ(ended.status, 130);
  EXPECT_EQ(ended.err, kLine);
  const auto history = Config::from_json(read_file(folder_.file("h.json")));
  EXPECT_EQ(history.at("interrupted"), Config(true));
  EXPECT_EQ(history.at("loss").as_list().size(), 1u);
  EXPECT_FALSE(history.contains("val_loss"));
  EXPECT_TRUE(has("m.weights.h5"));
}

// All images are one step, long enough for both signals.
TEST_F(Interruption, TheSecondSignalLeavesAtOnce) {
  MadeUpImages{.train = 512}.write(folder_.path());
  auto running = start("3", "512");
  running.await_output("mean image subtracted");
  running.send(SIGINT);
  running.send(SIGTERM);
  const auto ended = running.wait();
  EXPECT_EQ(ended.status, 143);
  EXPECT_FALSE(has("h.json"));
  EXPECT_FALSE(has("m.weights.h5"));
}

TEST_F(Interruption, BeforeTheTrainingThereIsNothingToSave) {
  const auto data = folder_.file("data.csv");
  ASSERT_EQ(mkfifo(data.c_str(), 0600), 0);
  Running running({"train", "cnn", "--data", "csv:data.csv", "--history", "h.json"}, folder_.path());
  // It can be opened once the command reads its data, of which there will be none.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  int writer = -1;
  while ((writer = open(data.c_str(), O_WRONLY | O_NONBLOCK)) < 0 && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  ASSERT_GE(writer, 0);
  running.send(SIGINT);
  const auto ended = running.wait();
  close(writer);
  EXPECT_EQ(ended.status, 130);
  EXPECT_EQ(ended.err, "");
  EXPECT_FALSE(has("h.json"));
}

}  // namespace
}  // namespace tandem::testing
