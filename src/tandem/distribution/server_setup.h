#pragma once
#include <memory>
#include <optional>
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
  std::vector<std::string> addresses = {};  // of servers in other processes
  int64_t own = 0;                          // servers in this process, where there are no addresses
  std::optional<comm::JobKey> key = {};
  int64_t block_bytes = 1 << 20;
};

/// The parameter servers whose workers the replicas of a program are.
class ServerSetup {
 public:
  /// Starts those that are to be in this process.
  explicit ServerSetup(const ServerChoice& choice);

  /// They are in other processes.
  bool elsewhere() const { return own_.empty(); }
  /// Replicas do not wait for one another.
  bool free() const { return choice_.mode != servers::ServerMode::sync; }
  const char* mode() const { return servers::name_of(choice_.mode); }
  /// How weights of `workers` replicas with an `optimizer` lie on the servers. Throws InvalidArgument on optimizers
  /// that cannot run there.
  servers::ServerPlan plan(const FlatWeights& weights, const Optimizer& optimizer, int64_t workers) const;
  servers::ClientOptions client(int64_t worker) const;

 private:
  ServerChoice choice_;
  std::vector<std::unique_ptr<servers::Server>> own_;
};

}  // namespace tandem::distribute
