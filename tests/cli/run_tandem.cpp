#include "run_tandem.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <system_error>

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

Ended run_tandem(const Arguments& arguments, const std::filesystem::path& folder, const std::string& out) {
  const TemporaryFolder streams;
  const auto out_file = out.empty() ? streams.file("out") : out;
  Redirection redirection;
  redirection.open(0, "/dev/null", O_RDONLY);
  redirection.open(1, out_file, O_WRONLY | O_CREAT);
  redirection.open(2, streams.file("err"), O_WRONLY | O_CREAT);
  redirection.work_in(folder.string());

  setenv("CUDA_VISIBLE_DEVICES", "", 1);  // the same lines on every machine
  unsetenv("COLUMNS");
  unsetenv("TANDEM_THREADS_PER_DEVICE");
  std::string program = TANDEM_COMMAND;
  std::vector<std::string> words = arguments;
  std::vector<char*> argv{program.data()};
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  pid_t child = 0;
  check(posix_spawn(&child, program.c_str(), redirection.get(), nullptr, argv.data(), environ), program.c_str());
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "waitpid");
  }
  Ended ended;
  ended.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (out.empty()) ended.out = read_file(out_file);
  ended.err = read_file(streams.file("err"));
  return ended;
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

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace tandem::testing
