#include "tandem/core/log.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace tandem {
namespace {

// Puts the sink of before back at the end of a test.
class LogTest : public ::testing::Test {
 protected:
  void TearDown() override { set_log_sink(before_); }
  LogSink before_ = set_log_sink({});
};

TEST_F(LogTest, SinkReceivesLevelAndLine) {
  std::vector<std::pair<LogLevel, std::string>> lines;
  set_log_sink([&](LogLevel level, const std::string& line) { lines.emplace_back(level, line); });
  log_info("one");
  log_warning("two");
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0], std::pair(LogLevel::info, std::string("one")));
  EXPECT_EQ(lines[1], std::pair(LogLevel::warning, std::string("two")));
}

TEST_F(LogTest, DefaultSinkWritesToTheTerminal) {
  set_log_sink(before_);
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  log_info("ready");
  log_warning("slow");
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "[INFO] ready\n");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "[WARNING] slow\n");
}

TEST_F(LogTest, EmptySinkIsSilent) {
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  log_info("nobody hears");
  log_warning("nobody hears");
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST_F(LogTest, SetReturnsTheSinkBefore) {
  int first = 0, second = 0;
  set_log_sink([&](LogLevel, const std::string&) { ++first; });
  const LogSink returned = set_log_sink([&](LogLevel, const std::string&) { ++second; });
  returned(LogLevel::info, "x");
  log_info("y");
  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, 1);
}

TEST_F(LogTest, SinkMayLogAndReplaceItself) {
  std::vector<std::string> lines;
  set_log_sink([&](LogLevel, const std::string& line) {
    set_log_sink([&](LogLevel, const std::string& inner) { lines.push_back("inner " + inner); });
    log_info(line);
  });
  log_info("x");
  EXPECT_EQ(lines, std::vector<std::string>{"inner x"});
}

TEST_F(LogTest, ManyThreadsMayLogWhileTheSinkChanges) {
  std::atomic<int> received{0};
  const LogSink counting = [&](LogLevel, const std::string&) { ++received; };
  set_log_sink(counting);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < 1000; ++i) log_info("x");
    });
  }
  for (int i = 0; i < 1000; ++i) set_log_sink(counting);
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(received, 4000);
}

}  // namespace
}  // namespace tandem
