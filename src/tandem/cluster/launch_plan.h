#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tandem::cluster {

/// What `tandem launch` was asked for.
struct LaunchOptions {
  int64_t processes = 0;                // ranks in all; with worker_hosts 0
  std::vector<std::string> hosts = {};  // empty: this one. Ranks are dealt out in blocks, the first hosts get one more
  int64_t master_port = 0;              // 0: a free one here, 29500 with other hosts
  // "a:1,b:2": a process each, told by TF_CONFIG.
  std::string ps_hosts = {}, worker_hosts = {}, evaluator_hosts = {};
};

/// One process of a job.
struct Task {
  std::string name;  // "rank 0", "worker 1", "ps 0", "evaluator 0"
  std::string host;  // empty: this one
  std::map<std::string, std::string> variables;
  bool needed = true;  // others cannot do without it: where it fails they are ended
};

/// The job's processes and the variables that tell each who it is: those of torchrun, or TF_CONFIG; on other hosts
/// also this process's TANDEM_INTERFACE, TANDEM_THREADS_PER_DEVICE and GLOO_SOCKET_IFNAME. Throws
/// InvalidArgument on numbers and hosts that do not fit together.
std::vector<Task> launch_plan(const LaunchOptions& options);

/// True for localhost, the loopback addresses, and this machine's own name.
bool is_this_host(const std::string& host);

}  // namespace tandem::cluster
