#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tandem::cluster {

/// A program started beside this one: in a process group of its own, its standard output and error in pipes, and killed
/// by the kernel when the thread that started it ends, so that nothing outlives its launcher.
class ChildProcess {
 public:
  /// `program`: its name, looked up in PATH, and its arguments. `variables` are set on top of this process's. With
  /// `keeps_input` its standard input is a pipe that close_input ends, else it is empty. Throws InvalidArgument when
  /// the program cannot be started, with the system's reason.
  ChildProcess(const std::vector<std::string>& program, const std::map<std::string, std::string>& variables,
               bool keeps_input = false);
  /// Kills what still runs.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// What can be read, not blocking; closed by close_pipe.
  int output() const { return output_; }
  int errors() const { return errors_; }
  void close_pipe(int pipe);

  /// How it ended, as wait gives it; none while it runs.
  std::optional<int> poll_status();
  bool ended() const { return status_.has_value(); }
  /// 0 to 255, or 128 + the signal that ended it.
  int exit_code() const;
  /// The signal that ended it; 0: none did.
  int ending_signal() const;
  /// To the whole group.
  void send(int signal);
  /// Text for its standard input; what cannot be taken is dropped.
  void tell(const std::string& text);
  void close_input();

 private:
  int id_ = -1;  // pid_t
  int output_ = -1, errors_ = -1, input_ = -1;
  std::optional<int> status_;
};

}  // namespace tandem::cluster
