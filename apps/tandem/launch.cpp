// tandem launch: one program many times, each told which rank it is.
#include <sys/signalfd.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>

#include "commands.h"
#include "tandem/cluster/launcher.h"
#include "tandem/comm/job_key.h"

namespace tandem::cli {
namespace {

struct LaunchArguments {
  cluster::LaunchOptions job;
  std::string ssh = "ssh -o BatchMode=yes";
  double grace_seconds = 10;
  std::vector<std::string> program;
};

// SIGINT, SIGTERM and SIGHUP as a file to read, while alive.
class SignalFile {
 public:
  SignalFile() {
    sigset_t taken;
    sigemptyset(&taken);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&taken, signal);
    ::pthread_sigmask(SIG_BLOCK, &taken, &before_);
    file_ = ::signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK);
  }
  ~SignalFile() {
    ::close(file_);
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  SignalFile(const SignalFile&) = delete;
  SignalFile& operator=(const SignalFile&) = delete;
  int file() const { return file_; }

 private:
  sigset_t before_;
  int file_;
};

int run_job(const LaunchArguments& arguments) {
  const auto print_to = [](std::FILE* stream) {
    return [stream](const std::string& lines) {
      std::fwrite(lines.data(), 1, lines.size(), stream);
      std::fflush(stream);
    };
  };
  auto tasks = cluster::launch_plan(arguments.job);
  if (comm::job_keys_are_built()) {
    const auto key = comm::JobKey::fresh();  // so that nobody else can join
    for (auto& task : tasks) task.variables[comm::kJobKeyVariable] = key.secret;
  }
  const SignalFile signals;
  return cluster::launch(tasks, arguments.program,
                         {.output = print_to(stdout),
                          .errors = print_to(stderr),
                          .signals = signals.file(),
                          .grace_seconds = arguments.grace_seconds,
                          .ssh = CLI::detail::split_up(arguments.ssh)});
}

}  // namespace

void add_launch(CLI::App& app, Run& run) {
  auto* command = app.add_subcommand("launch", "Run a program as the ranks of a job, here or on several hosts");
  auto arguments = std::make_shared<LaunchArguments>();
  auto& job = arguments->job;
  command->footer("Example: tandem launch -n 4 -- ./ddp --epochs 3");
  command->add_option("-n", job.processes, "Number of ranks");
  command->add_option("--hosts", job.hosts, "Hosts, with commas between; reached by ssh")->delimiter(',');
  command->add_option("--master-port", job.master_port, "Port where ranks meet (default: a free one, 29500 on hosts)")
      ->check(CLI::Range(1, 65535));
  command->add_option("--ps_hosts", job.ps_hosts, "Parameter servers: host:port,...; sets TF_CONFIG");
  command->add_option("--worker_hosts", job.worker_hosts, "Workers: host:port,...; sets TF_CONFIG");
  command->add_option("--evaluator_hosts", job.evaluator_hosts,
                      "Evaluators: host:port,...; sets TF_CONFIG. The port is not used. One that fails ends no other");
  command->add_option("--grace", arguments->grace_seconds, "Seconds that ranks get to end by themselves (default 10)")
      ->check(CLI::Range(0.0, 3600.0));
  command->add_option("--ssh", arguments->ssh, "How hosts are reached (default: ssh -o BatchMode=yes)");
  command->add_option("PROGRAM", arguments->program, "The program and its arguments, behind --")->required();
  command->callback([=, &run] { run = [=] { return run_job(*arguments); }; });
}

}  // namespace tandem::cli
