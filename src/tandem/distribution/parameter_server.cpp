#include "tandem/distribution/parameter_server.h"

#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/cluster/who_am_i.h"
#include "tandem/core/error.h"
#include "tandem/distribution/check_places.h"
#include "tandem/distribution/exchange_options.h"
#include "tandem/distribution/replicated.h"
#include "tandem/distribution/server_hosts.h"
#include "tandem/distribution/unscoped.h"
#include "tandem/layers/constraint.h"
#include "tandem/servers/serve.h"
#include "tandem/servers/server_key_file.h"
#include "tandem/servers/server_names.h"
#include "tandem/servers/server_sync.h"

namespace tandem::distribute {
namespace {

[[noreturn]] void refuse_servers(const std::string& must) { throw InvalidArgument("ParameterServer: " + must); }

std::optional<comm::JobKey> key_of(const ParameterServerOptions& options) {
  if (options.addresses.empty()) return {};
  if (!options.key_file.empty()) return servers::read_key(options.key_file);
  return servers::job_key_of(cluster::Environment());
}

ExchangeOptions exchange_of(const ParameterServerOptions& options) {
  return {.shares = options.shares, .fixed_order = options.fixed_order, .bucket_bytes = options.bucket_bytes};
}

// Which process of how many this is, and how many of them its host has.
struct ProcessPlace {
  int64_t own = 0, count = 1, on_host = 1;
};

// Workers do not wait for one another.
bool is_free(const ParameterServerOptions& options) { return options.mode != "sync" || options.backup_workers > 0; }

// Without a group such processes need not meet.
ProcessPlace place_of(const ParameterServerOptions& options) {
  if (options.group) return {options.group->rank(), options.group->world_size(), options.group->local_size()};
  if (!is_free(options) || options.addresses.empty()) return {};
  const auto member = cluster::who_am_i(cluster::Environment());
  if (!member.trains()) return {};
  return {member.rank, member.world_size, std::max<int64_t>(member.local_size, 1)};
}

// True where a server can make the same one.
bool is_known(const Constraint& constraint) {
  try {
    Constraint::make(constraint.class_name(), constraint.get_config());
    return true;
  } catch (const InvalidArgument&) {
    return false;
  }
}

class ParameterServerKind : public StrategyKind {
 public:
  explicit ParameterServerKind(ParameterServerOptions options)
      : options_(std::move(options)), place_(place_of(options_)), server_of_(server_of_workers()) {}
  std::string name() const override { return "parameter-server"; }
  Devices devices() const override { return options_.workers; }
  int64_t all_devices() const override { return options_.workers.size() * place_.count; }
  bool leads() const override { return place_.own == 0; }
  void check(const Network& network) const override {
    check_unscoped("ParameterServer", network);
    for (const auto& w : network.weights()) {
      if (const auto& constraint = w.variable().constraint; constraint && !is_known(*constraint)) {
        refuse_servers(c10::str("model '", network.name(), "': weight '", w.name(),
                                "' must have one of Keras's constraints, which servers know, got ",
                                constraint->class_name()));
      }
    }
  }
  std::unique_ptr<Execution> bind(const Program& program) const override {
    check(*program.network);
    const int64_t on_host = options_.workers.size() * place_.on_host;
    auto how =
        exchange_of(options_).replication(options_.workers, threads_per_device(on_host, options_.threads_per_device));
    const auto mode = servers::server_mode(options_.mode);
    if (is_free(options_)) {
      if (place_.count > 1) how.place = {place_.own, place_.count};
    } else if (options_.group) {
      how.processes = options_.group->processes();
    }
    if (!program.optimizer) return std::make_unique<Replicated>(program, how);
    const bool in_step_by_host = mode == servers::ServerMode::sync && !server_of_.empty();
    how.where = in_step_by_host ? UpdatePlace::own_servers : UpdatePlace::servers;
    how.servers = std::make_shared<ServerSetup>(ServerChoice{.mode = mode,
                                                             .staleness = std::max<int64_t>(options_.staleness, 0),
                                                             .backup_workers = options_.backup_workers,
                                                             .addresses = options_.addresses,
                                                             .own = options_.addresses.empty() ? options_.servers : 0,
                                                             .key = key_of(options_),
                                                             .block_bytes = options_.bucket_bytes,
                                                             .server_of = server_of_,
                                                             .server_sync = options_.server_sync,
                                                             .sync_every = options_.sync_every,
                                                             .stop = program.stop});
    return std::make_unique<Replicated>(program, how);
  }

 private:
  // Where each host has a server of its own.
  std::vector<int64_t> server_of_workers() const {
    if (options_.server_sync.empty()) return {};
    if (options_.addresses.empty()) return share_out(options_.workers.size(), options_.servers, "workers");
    const auto by_process =
        servers_of_processes(options_.addresses, cluster::who_am_i(cluster::Environment()).ranks, place_.count);
    std::vector<int64_t> by_worker;
    for (const auto server : by_process) by_worker.insert(by_worker.end(), options_.workers.size(), server);
    return by_worker;
  }

  const ParameterServerOptions options_;
  const ProcessPlace place_;
  const std::vector<int64_t> server_of_;  // by worker of the job
};

void check_server_sync(const ParameterServerOptions& options) {
  if (options.server_sync.empty()) {
    if (options.sync_every != 1)
      refuse_servers(c10::str("sync_every must be set with server_sync alone, got ", options.sync_every));
    return;
  }
  servers::server_sync(options.server_sync);
  if (options.sync_every < 0) refuse_servers(c10::str("sync_every must be at least 0, got ", options.sync_every));
  if (options.fixed_order > 0)
    refuse_servers("fixed_order must not be set with server_sync, where the numbers are those of so many hosts");
}

void check_mode(const ParameterServerOptions& options) {
  const auto mode = servers::server_mode(options.mode);
  const bool stale = mode == servers::ServerMode::stale;
  if (stale && options.staleness < 0)
    refuse_servers(c10::str("staleness must be at least 0 in mode stale, got ",
                            options.staleness == -1 ? "none" : std::to_string(options.staleness)));
  if (!stale && options.staleness != -1)
    refuse_servers(
        c10::str("staleness must be given in mode stale alone, got ", options.staleness, " in mode ", options.mode));
  const bool divided = options.fixed_order > 0 || options.shares.automatic() || !options.shares.weights().empty();
  if (mode != servers::ServerMode::sync && divided)
    refuse_servers(c10::str("shares and fixed_order must not be set in mode ", options.mode,
                            ", where batches go whole to whoever is free"));
  if (options.backup_workers == 0) return;
  if (options.backup_workers < 0)
    refuse_servers(c10::str("backup_workers must be at least 0, got ", options.backup_workers));
  if (mode != servers::ServerMode::sync)
    refuse_servers(c10::str("backup_workers must be set in mode sync alone, got mode ", options.mode));
  if (divided)
    refuse_servers("shares and fixed_order must not be set with backup_workers, where who makes what is not fixed");
}

void check_backups(const ParameterServerOptions& options, int64_t workers) {
  if (options.backup_workers > 0 && !options.server_sync.empty())
    refuse_servers("backup_workers must be 0 where servers of several hosts average (server_sync)");
  if (options.backup_workers >= workers)
    refuse_servers(c10::str("backup_workers must be fewer than the ", workers, workers == 1 ? " worker" : " workers",
                            ", got ", options.backup_workers));
}

// Throws where this process cannot be one of those that train together.
void check_job(const ParameterServerOptions& options) {
  const auto member = cluster::who_am_i(cluster::Environment());
  if (!options.group && !member.trains())
    refuse_servers(c10::str("this process is ", cluster::to_string(member.role), " ", member.index, " of its job (",
                            member.source, "); only the chief and workers train"));
  if (!options.group && !is_free(options) && !options.addresses.empty() && member.world_size > 1) {
    refuse_servers(
        "must get a group in mode sync, as init_process_group() gives one, where the job has several processes");
  }
  if (!options.group || options.group->world_size() == 1) return;
  check_processes("ParameterServer", options.group);
  if (options.addresses.empty()) {
    refuse_servers(
        "must get addresses of servers where workers are several processes; tandem launch --ps_hosts starts some");
  }
}

// Servers and workers of one process speak by sockets within it, each of which is a file to the system.
constexpr int64_t kMostSockets = 900;

void check_sockets(const ParameterServerOptions& options) {
  const int64_t servers = std::min(options.servers, kMostSockets), workers = options.workers.size();
  const int64_t sockets =
      options.server_sync.empty() ? servers * (3 + 2 * workers) : servers * (1 + 2 * servers) + 2 * workers;
  if (options.servers > servers || sockets > kMostSockets)
    refuse_servers(c10::str("servers must be so few that all workers and servers of this process need ", kMostSockets,
                            " sockets at most, got ", options.servers, " with ", workers,
                            workers == 1 ? " worker" : " workers"));
}

ParameterServerOptions checked(ParameterServerOptions options) {
  if (options.workers.empty()) options.workers = {options.group ? options.group->device() : Device("cpu:0")};
  check_cpus("ParameterServer", options.workers, "workers");
  check_available(options.workers);
  threads_per_device(options.workers.size(), options.threads_per_device);
  if (options.servers < 1) refuse_servers(c10::str("servers must be at least 1, got ", options.servers));
  check_mode(options);
  check_server_sync(options);
  if (options.addresses.empty())
    options.addresses = servers::server_addresses(cluster::who_am_i(cluster::Environment()));
  servers::check_different(options.addresses, "ParameterServer: addresses");
  if (options.servers > 1 && !options.addresses.empty())
    refuse_servers(c10::str("servers counts those of this process, and must not be given where there are addresses of ",
                            "others, got ", options.servers, " and ", options.addresses.size(),
                            options.addresses.size() == 1 ? " address" : " addresses"));
  if (options.addresses.empty() && !options.key_file.empty())
    refuse_servers("key_file must be given with addresses of servers, got '" + options.key_file + "' and none");
  check_job(options);
  if (options.addresses.empty()) check_sockets(options);
  const int64_t workers = options.workers.size() * place_of(options).count;
  check_backups(options, workers);
  exchange_of(options).check("ParameterServer", workers);
  return options;
}

}  // namespace

ParameterServer::ParameterServer(ParameterServerOptions options)
    : Strategy(std::make_shared<ParameterServerKind>(checked(std::move(options)))) {}

}  // namespace tandem::distribute
