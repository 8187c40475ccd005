#include "tandem/cluster/launch_plan.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <string_view>

#include "tandem/cluster/address.h"
#include "tandem/cluster/environment.h"
#include "tandem/cluster/free_port.h"
#include "tandem/cluster/jobs.h"
#include "tandem/core/error.h"

namespace tandem::cluster {
namespace {

constexpr int64_t kPort = 29500, kMostProcesses = 65536;

std::vector<Task> tasks_by_role(const LaunchOptions& options) {
  if (options.worker_hosts.empty())
    throw InvalidArgument(
        c10::str("--worker_hosts: must be given with ", options.ps_hosts.empty() ? "--evaluator_hosts" : "--ps_hosts"));
  const auto workers = parse_addresses(options.worker_hosts, "--worker_hosts");
  std::vector<Address> servers;
  if (!options.ps_hosts.empty()) servers = parse_addresses(options.ps_hosts, "--ps_hosts");
  std::vector<Address> evaluators;
  if (!options.evaluator_hosts.empty()) evaluators = parse_addresses(options.evaluator_hosts, "--evaluator_hosts");
  auto all = servers;
  all.insert(all.end(), workers.begin(), workers.end());
  all.insert(all.end(), evaluators.begin(), evaluators.end());
  check_different(
      all, evaluators.empty() ? "--ps_hosts and --worker_hosts" : "--ps_hosts, --worker_hosts and --evaluator_hosts");
  const Jobs jobs{.chief = {}, .workers = workers, .servers = servers, .evaluators = evaluators};
  std::vector<Task> tasks;
  const auto add = [&](const char* role, const std::vector<Address>& addresses) {
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      tasks.push_back({c10::str(role, " ", i),
                       is_this_host(addresses[i].host) ? "" : addresses[i].host,
                       {{"TF_CONFIG", tf_config_of(jobs, role, static_cast<int64_t>(i))}},
                       role != std::string_view("evaluator")});
    }
  };
  add("ps", servers);
  add("worker", workers);
  add("evaluator", evaluators);
  return tasks;
}

std::vector<Task> tasks_by_rank(const LaunchOptions& options) {
  const auto hosts = options.hosts.empty() ? std::vector<std::string>{"127.0.0.1"} : options.hosts;
  const auto count = static_cast<int64_t>(hosts.size());
  const int64_t n = options.processes;
  if (n < 1 || n > kMostProcesses)
    throw InvalidArgument(c10::str("-n: must be from 1 to ", kMostProcesses, ", got ", n));
  if (n < count) throw InvalidArgument(c10::str("-n: must be at least one for each of the ", count, " hosts, got ", n));
  const bool all_here = std::all_of(hosts.begin(), hosts.end(), is_this_host);
  const int64_t port = options.master_port > 0 ? options.master_port : all_here ? free_port() : kPort;
  const std::string master = all_here ? "127.0.0.1" : hosts.front();
  std::vector<Task> tasks;
  for (int64_t h = 0, rank = 0; h < count; ++h) {
    const int64_t local_size = n / count + (h < n % count ? 1 : 0);
    const auto& host = hosts[static_cast<std::size_t>(h)];
    for (int64_t local = 0; local < local_size; ++local, ++rank) {
      tasks.push_back({c10::str("rank ", rank),
                       is_this_host(host) ? "" : host,
                       {{"RANK", std::to_string(rank)},
                        {"WORLD_SIZE", std::to_string(n)},
                        {"LOCAL_RANK", std::to_string(local)},
                        {"LOCAL_WORLD_SIZE", std::to_string(local_size)},
                        {"MASTER_ADDR", master},
                        {"MASTER_PORT", std::to_string(port)}}});
    }
  }
  return tasks;
}

}  // namespace

std::vector<Task> launch_plan(const LaunchOptions& options) {
  const bool by_role = !options.worker_hosts.empty() || !options.ps_hosts.empty() || !options.evaluator_hosts.empty();
  if (by_role && (options.processes > 0 || !options.hosts.empty()))
    throw InvalidArgument("-n and --hosts: must not be given with --worker_hosts, which says how many and where");
  auto tasks = by_role ? tasks_by_role(options) : tasks_by_rank(options);
  // ssh hands on none of these by itself.
  const Environment own;
  for (auto& task : tasks) {
    for (const char* name : {"TANDEM_INTERFACE", "TANDEM_THREADS_PER_DEVICE", "GLOO_SOCKET_IFNAME"}) {
      if (const auto value = own.get(name); value && !task.host.empty()) task.variables.emplace(name, *value);
    }
  }
  return tasks;
}

bool is_this_host(const std::string& host) { return is_loopback(host) || host == own_host_name(); }

}  // namespace tandem::cluster
