#pragma once
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <stdexcept>
#include <string>
#include <vector>

extern char** environ;

namespace tandem::data {

/// tests/fixtures/http_server.py on a folder, for as long as this lives. It listens on this machine only.
class HttpServer {
 public:
  /// `script`: its path.
  HttpServer(const std::string& script, const std::string& folder, const std::string& certificate = {})
      : https_(!certificate.empty()) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    std::vector<std::string> words{"python3", script, folder};
    if (https_) words.push_back(certificate);
    std::vector<char*> argv;
    for (auto& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    const int error = posix_spawnp(&process_, "python3", &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    for (char c = 0; error == 0 && ::read(ends[0], &c, 1) == 1 && c != '\n';) port_ += c;
    ::close(ends[0]);
    if (port_.empty()) throw std::runtime_error("http_server.py could not be started");
  }
  ~HttpServer() {
    ::kill(process_, SIGTERM);
    ::waitpid(process_, nullptr, 0);
  }
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  /// `path` begins with the way of serving: "plain/x.gz".
  std::string url(const std::string& path) const {
    return std::string(https_ ? "https" : "http") + "://127.0.0.1:" + port_ + "/" + path;
  }

 private:
  bool https_;
  pid_t process_ = 0;
  std::string port_;
};

}  // namespace tandem::data
