#include "program.h"

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <thread>

namespace tandem::testing {
namespace {

// Calls `done` until it is true; false after a minute.
template <class Done>
bool within_a_minute(Done done) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!done()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

}  // namespace

Program::Program(const std::vector<std::string>& words, Variables variables) {
  variables["PROGRAM_OUTPUT"] = folder_.file("output");
  std::vector<std::string> command{"sh", "-c", R"(exec "$@" >"$PROGRAM_OUTPUT" 2>&1)", "sh"};
  command.insert(command.end(), words.begin(), words.end());
  process_ = std::make_unique<cluster::ChildProcess>(command, variables);
}

std::string Program::output() const { return file_bytes(folder_.file("output")); }

void Program::await_output(const std::string& text) {
  bool ended = false, printed = false;
  const bool in_time = within_a_minute([&] {
    ended = process_->poll_status().has_value();
    printed = output().find(text) != std::string::npos;
    return ended || printed;
  });
  if (printed) return;
  throw std::runtime_error((in_time ? "ended and did not print '" : "does not print '") + text + "': " + output());
}

int Program::wait() {
  if (!within_a_minute([&] { return process_->poll_status().has_value(); }))
    throw std::runtime_error("does not end: " + output());
  return process_->exit_code();
}

void Program::send(int signal) { process_->send(signal); }

void expect_success(const std::vector<std::unique_ptr<Program>>& programs) {
  for (const auto& program : programs) EXPECT_EQ(program->wait(), 0) << program->output();
}

}  // namespace tandem::testing
