#include "tandem/cluster/launcher.h"

#include <c10/util/StringUtil.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>

#include "tandem/cluster/child_process.h"
#include "tandem/cluster/remote_command.h"
#include "tandem/cluster/tagged_lines.h"
#include "tandem/core/steady_seconds.h"

namespace tandem::cluster {
namespace {

constexpr int kLookMilliseconds = 20;  // how often ended processes are looked for
constexpr int kLostPeer = 4;           // the exit status of PeerError
constexpr double kLateOutput = 1;      // seconds that output is waited for when a process has ended

struct Running {
  const Task* task;
  std::unique_ptr<ChildProcess> process;
  TaggedLines output, errors;
  std::optional<double> ended = {};  // when
};

const char* signal_name(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return name ? name : "?";
}

class Job {
 public:
  Job(const std::vector<Task>& tasks, const std::vector<std::string>& program, const LaunchWatch& watch)
      : watch_(watch) {
    const auto folder = std::filesystem::current_path().string();
    for (const auto& task : tasks) {
      const auto number = task.name.substr(task.name.find(' ') + 1);
      const auto tag = task.name.starts_with("rank ") ? "[" + number + "] " : "[" + task.name + "] ";
      const bool here = task.host.empty();
      const auto command = here ? program : remote_command(watch.ssh, task.host, folder, task.variables, program);
      running_.push_back(
          {&task,
           std::make_unique<ChildProcess>(command, here ? task.variables : std::map<std::string, std::string>{}, !here),
           TaggedLines(tag), TaggedLines(tag)});
    }
  }

  int run() {
    while (!over()) {
      look();
      const double now = steady_seconds();
      for (auto& one : running_) {
        if (one.ended && now > *one.ended + kLateOutput) close_pipes(one);
        if (one.ended || !one.process->poll_status()) continue;
        one.ended = now;
        one.process->send(SIGKILL);  // what it left in its group
        if (one.process->exit_code() != 0 && one.task->needed) begin_end(now);
      }
      if (end_by_ && now >= *end_by_) {
        send(told_to_end_ ? SIGKILL : SIGTERM);
        told_to_end_ = true;
        end_by_ = now + watch_.grace_seconds;
      }
    }
    return report();
  }

 private:
  bool over() const {
    return std::all_of(running_.begin(), running_.end(), [](const Running& one) {
      return one.ended && one.process->output() < 0 && one.process->errors() < 0;
    });
  }

  void begin_end(double now) {
    if (!end_by_) end_by_ = now + watch_.grace_seconds;
  }

  void send(int signal) {
    for (auto& one : running_) {
      if (one.ended) continue;
      // ssh does not pass signals on: what stands on the far side is told their names.
      if (!one.task->host.empty() && signal != SIGKILL) {
        one.process->tell(std::string(signal_name(signal)) + "\n");
      } else {
        one.process->send(signal);
        if (signal != SIGKILL) one.process->send(SIGCONT);  // one that is stopped hears nothing
      }
    }
  }

  void look() {
    std::vector<pollfd> waits;
    if (watch_.signals >= 0) waits.push_back({watch_.signals, POLLIN, 0});
    for (const auto& one : running_) {
      for (const int pipe : {one.process->output(), one.process->errors()}) {
        if (pipe >= 0) waits.push_back({pipe, POLLIN, 0});
      }
    }
    if (::poll(waits.data(), waits.size(), kLookMilliseconds) <= 0) return;
    if (watch_.signals >= 0 && waits.front().revents) take_signal();
    for (auto& one : running_) {
      read(one, one.process->output(), one.output, watch_.output);
      read(one, one.process->errors(), one.errors, watch_.errors);
    }
  }

  void take_signal() {
    signalfd_siginfo info{};
    if (::read(watch_.signals, &info, sizeof(info)) != sizeof(info)) return;
    const int signal = static_cast<int>(info.ssi_signo);
    send(signal_ ? SIGKILL : signal);
    if (!signal_) signal_ = signal;
    begin_end(steady_seconds());
  }

  static void read(Running& one, int pipe, TaggedLines& lines, const std::function<void(const std::string&)>& show) {
    std::array<char, 16 << 10> piece;
    while (pipe >= 0) {
      const ssize_t n = ::read(pipe, piece.data(), piece.size());
      if (n < 0) return;  // nothing more now
      const auto text = n == 0 ? lines.rest() : lines.add({piece.data(), static_cast<std::size_t>(n)});
      if (!text.empty()) show(text);
      if (n > 0) continue;
      one.process->close_pipe(pipe);
      return;
    }
  }

  // A process that left the group may hold them open.
  static void close_pipes(Running& one) {
    one.process->close_pipe(one.process->output());
    one.process->close_pipe(one.process->errors());
  }

  const Running* first_failure() const {
    const Running* first = nullptr;
    const auto is_later = [](const Running& a, const Running& b) {
      const bool lost_a = a.process->exit_code() == kLostPeer, lost_b = b.process->exit_code() == kLostPeer;
      return lost_a != lost_b ? lost_a : *a.ended > *b.ended;
    };
    for (const auto& one : running_) {
      if (one.process->exit_code() != 0 && (!first || is_later(*first, one))) first = &one;
    }
    return first;
  }

  static std::string ending(const Running& one) {
    const int signal = one.process->ending_signal();
    return signal ? c10::str("signal ", signal_name(signal)) : c10::str("exit code ", one.process->exit_code());
  }

  int report() const {
    if (signal_) return 128 + signal_;
    const auto* first = first_failure();
    if (!first) return 0;
    const auto& lines = first->errors.last();
    const std::string own = "tandem launch: ";
    watch_.errors(own + first->task->name + " failed first, " + ending(*first) +
                  (lines.empty() ? "" : ": " + lines.back()) + "\n");
    for (const auto& one : running_) watch_.errors(own + one.task->name + ": " + ending(one) + "\n");
    if (!lines.empty()) watch_.errors(own + "the last error lines of " + first->task->name + ":\n");
    for (const auto& line : lines) watch_.errors("  " + line + "\n");
    return first->process->exit_code();
  }

  const LaunchWatch& watch_;
  std::vector<Running> running_;
  std::optional<double> end_by_;  // when what still runs is told to end
  bool told_to_end_ = false;
  int signal_ = 0;  // the first that was passed on
};

}  // namespace

int launch(const std::vector<Task>& tasks, const std::vector<std::string>& program, const LaunchWatch& watch) {
  return Job(tasks, program, watch).run();
}

}  // namespace tandem::cluster
