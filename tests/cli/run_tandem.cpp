#include "run_tandem.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <thread>

extern char** environ;

namespace tandem::testing {
namespace {

void check(int error, const char* what) {
  if (error != 0) throw std::system_error(error, std::generic_category(), what);
}

// Where the child's standard streams go.
class Redirection {
 public:
  Redirection() { check(posix_spawn_file_actions_init(&actions_), "file actions"); }
  ~Redirection() { posix_spawn_file_actions_destroy(&actions_); }
  Redirection(const Redirection&) = delete;
  Redirection& operator=(const Redirection&) = delete;

  void open(int descriptor, const std::string& path, int flags) {
    check(posix_spawn_file_actions_addopen(&actions_, descriptor, path.c_str(), flags, 0600), path.c_str());
  }
  void work_in(const std::string& folder) {
    check(posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str()), folder.c_str());
  }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

}  // namespace

Running::Running(const Arguments& arguments, const std::filesystem::path& folder, const std::string& out)
    : out_(out.empty() ? streams_.file("out") : out), own_out_(out.empty()) {
  Redirection redirection;
  redirection.open(0, "/dev/null", O_RDONLY);
  redirection.open(1, out_.string(), O_WRONLY | O_CREAT);
  redirection.open(2, streams_.file("err"), O_WRONLY | O_CREAT);
  redirection.work_in(folder.string());

  setenv("CUDA_VISIBLE_DEVICES", "", 1);  // the same lines on every machine
  unsetenv("COLUMNS");
  unsetenv("TANDEM_THREADS_PER_DEVICE");
  std::string program = TANDEM_COMMAND;
  std::vector<std::string> words = arguments;
  std::vector<char*> argv{program.data()};
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  // Whoever runs the tests in the background may have them ignore SIGINT.
  posix_spawnattr_t attributes;
  check(posix_spawnattr_init(&attributes), "attributes");
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGINT);
  sigaddset(&defaults, SIGTERM);
  sigaddset(&defaults, SIGHUP);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  const int error = posix_spawn(&child_, program.c_str(), redirection.get(), &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  check(error, program.c_str());
}

Running::~Running() {
  if (child_ == 0) return;
  send(SIGKILL);
  wait();
}

bool Running::has_ended() const {
  siginfo_t info = {};
  return waitid(P_PID, static_cast<id_t>(child_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == child_;
}

void Running::await_output(const std::string& text) const {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (read_file(out_).find(text) == std::string::npos) {
    if (has_ended()) throw std::runtime_error("it ended and did not print " + text);
    if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error("it does not print " + text);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

void Running::send(int signal) const { kill(child_, signal); }

Ended Running::wait() {
  int status = 0;
  while (waitpid(child_, &status, 0) < 0) {
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "waitpid");
  }
  child_ = 0;
  Ended ended;
  ended.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (own_out_) ended.out = read_file(out_);
  ended.err = read_file(streams_.file("err"));
  return ended;
}

Ended run_tandem(const Arguments& arguments, const std::filesystem::path& folder, const std::string& out) {
  return Running(arguments, folder, out).wait();
}

Ended run_tandem(const Arguments& arguments) {
  const TemporaryFolder folder;
  return run_tandem(arguments, folder.path());
}

void expect_refused(const Arguments& arguments, int status, const std::string& line) {
  std::string shown = "tandem";
  for (const auto& argument : arguments) shown += " " + argument;
  const ::testing::ScopedTrace trace(__FILE__, __LINE__, shown);
  const auto ended = run_tandem(arguments);
  EXPECT_EQ(ended.status, status);
  EXPECT_EQ(ended.err, "tandem: " + line + "\n");
  EXPECT_EQ(ended.out, "");
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path.string());
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

pid_t pid_in(const std::filesystem::path& path) { return static_cast<pid_t>(std::stol(first_line(read_file(path)))); }

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace tandem::testing
