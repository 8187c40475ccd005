#pragma once
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "tandem/distribution/flat_weights.h"
#include "tandem/servers/server.h"
#include "tandem/servers/server_client.h"

namespace tandem::distribute {

/// How a program uses parameter servers.
struct ServerChoice {
  servers::ServerMode mode = servers::ServerMode::sync;
  int64_t staleness = 0;                    // bound in mode stale
  int64_t backup_workers = 0;               // in mode sync
  std::vector<std::string> addresses = {};  // of servers in other processes
  int64_t own = 0;                          // servers in this process, where there are no addresses
  std::optional<comm::JobKey> key = {};
  int64_t block_bytes = 1 << 20;
  /// Topology per-host: which server each worker of the job pushes to, and how they average (servers::ServerOptions).
  /// Empty: each server has a range of the parameters, for all workers.
  std::vector<int64_t> server_of = {};
  std::string server_sync = {};
  int64_t sync_every = 1;
  std::stop_token stop = {};  // servers::ClientOptions
};

/// True of a weight whose rows move alone: a table, unless a penalty or a constraint needs all of its rows in every
/// step.
bool moves_by_rows(const Weight& weight);
/// Where tables lie behind the weights in the servers' buffers.
std::vector<FlatPlace> places_behind(const FlatWeights& weights, const std::vector<Weight>& tables);

/// The parameter servers whose workers the replicas of a program are.
class ServerSetup {
 public:
  /// Starts those that are to be in this process.
  explicit ServerSetup(const ServerChoice& choice);

  /// They are in other processes.
  bool elsewhere() const { return own_.empty(); }
  /// Replicas do not wait for one another.
  bool free() const { return choice_.mode != servers::ServerMode::sync || choice_.backup_workers > 0; }
  bool has_backups() const { return choice_.backup_workers > 0; }
  /// Gradients of an update, of `workers`: as many as there are parts of a batch.
  int64_t parts(int64_t workers) const { return has_backups() ? workers - choice_.backup_workers : 1; }
  /// Each host has a server of its own, which averages with the others'.
  bool per_host() const { return !choice_.server_of.empty(); }
  /// How weights of `workers` replicas with an `optimizer` lie on the servers that `worker` pushes to, `tables` behind
  /// the others; `trained`: all of these in the model's order. Throws InvalidArgument on optimizers that cannot run
  /// there.
  servers::ServerPlan plan(const std::vector<Weight>& trained, const FlatWeights& weights,
                           const std::vector<Weight>& tables, const Optimizer& optimizer, int64_t workers,
                           int64_t worker) const;
  servers::ClientOptions client(int64_t worker) const;
  /// Which of the servers it pushes to, where each is of one host; else 0.
  int64_t host_of(int64_t worker) const { return per_host() ? choice_.server_of[static_cast<std::size_t>(worker)] : 0; }
  /// What brings processes together that do not wait for one another: on the first server. `place`: of the process.
  servers::ClientOptions desk(int64_t place) const;
  /// It is the one who tells its servers what they go on from.
  bool leads(int64_t worker) const { return place_of(worker) == 0; }
  /// Rows that workers of `worker`'s host have of a batch that is divided at `edges` over all of them.
  int64_t rows_on_host(const std::vector<int64_t>& edges, int64_t worker) const;

 private:
  // Among the workers of its servers.
  int64_t place_of(int64_t worker) const;

  ServerChoice choice_;
  std::vector<std::unique_ptr<servers::Server>> own_;
};

}  // namespace tandem::distribute
