#include "tandem/cluster/child_process.h"

#include <c10/util/StringUtil.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "tandem/core/error.h"

extern char** environ;

namespace tandem::cluster {
namespace {

struct Pipe {
  int read = -1, write = -1;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    throw Error(c10::str("a pipe to a program could not be made: ", std::strerror(errno)));
  return {ends[0], ends[1]};
}

// This process's variables with `more` in place of those of the same names.
std::vector<std::string> environment_with(const std::map<std::string, std::string>& more) {
  std::vector<std::string> all;
  for (char** one = environ; *one; ++one) {
    const std::string text = *one;
    if (!more.contains(text.substr(0, text.find('=')))) all.push_back(text);
  }
  for (const auto& [name, value] : more) all.push_back(name + "=" + value);
  return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (auto& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& program, const std::map<std::string, std::string>& variables,
                           bool keeps_input) {
  if (program.empty()) throw InvalidArgument("a program must be given to start");
  // Everything that allocates is done before the fork: other threads may hold locks in it.
  auto arguments = program, environment = environment_with(variables);
  const auto argument_pointers = pointers_to(arguments), environment_pointers = pointers_to(environment);
  const Pipe output = make_pipe(), errors = make_pipe(), input = make_pipe(), refused = make_pipe();
  const pid_t launcher = ::getpid();
  id_ = ::fork();
  if (id_ < 0) throw Error(c10::str(program[0], ": could not be started: ", std::strerror(errno)));
  if (id_ == 0) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != launcher) ::_exit(127);  // it ended in between
    ::dup2(input.read, STDIN_FILENO);
    ::dup2(output.write, STDOUT_FILENO);
    ::dup2(errors.write, STDERR_FILENO);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(signal, SIG_DFL);
    ::execvpe(argument_pointers[0], argument_pointers.data(), environment_pointers.data());
    const int why = errno;
    if (::write(refused.write, &why, sizeof(why)) < 0) ::_exit(126);
    ::_exit(127);
  }
  ::setpgid(id_, id_);  // here too: whichever process is first
  for (const int end : {output.write, errors.write, input.read, refused.write}) ::close(end);
  output_ = output.read;
  errors_ = errors.read;
  input_ = input.write;
  for (const int end : {output_, errors_}) ::fcntl(end, F_SETFL, O_NONBLOCK);
  ::fcntl(input_, F_SETFL, O_NONBLOCK);
  if (!keeps_input) close_input();
  int why = 0;
  ssize_t got = 0;
  while ((got = ::read(refused.read, &why, sizeof(why))) < 0 && errno == EINTR) {
  }
  ::close(refused.read);
  if (got == sizeof(why)) {
    int ignored = 0;
    ::waitpid(id_, &ignored, 0);
    for (const int end : {output_, errors_}) ::close(end);
    close_input();
    throw InvalidArgument(c10::str(program[0], ": cannot be started: ", std::strerror(why)));
  }
}

ChildProcess::~ChildProcess() {
  if (!poll_status()) {
    send(SIGKILL);
    int ignored = 0;
    ::waitpid(id_, &ignored, 0);
  }
  close_pipe(output_);
  close_pipe(errors_);
  close_input();
}

void ChildProcess::close_pipe(int pipe) {
  if (pipe < 0) return;
  ::close(pipe);
  if (pipe == output_) output_ = -1;
  if (pipe == errors_) errors_ = -1;
}

std::optional<int> ChildProcess::poll_status() {
  int status = 0;
  if (!status_ && ::waitpid(id_, &status, WNOHANG) == id_) status_ = status;
  return status_;
}

int ChildProcess::exit_code() const {
  return WIFSIGNALED(status_.value()) ? 128 + WTERMSIG(*status_) : WEXITSTATUS(*status_);
}

int ChildProcess::ending_signal() const { return WIFSIGNALED(status_.value()) ? WTERMSIG(*status_) : 0; }

// Also when the program has ended: it may have left processes in its group.
void ChildProcess::send(int signal) { ::kill(-id_, signal); }

void ChildProcess::tell(const std::string& text) {
  if (input_ >= 0 && ::write(input_, text.data(), text.size()) < 0 && errno == EPIPE) close_input();
}

void ChildProcess::close_input() {
  if (input_ >= 0) ::close(input_);
  input_ = -1;
}

}  // namespace tandem::cluster
