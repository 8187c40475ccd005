#pragma once
#include <memory>
#include <string>
#include <vector>

#include "tandem/servers/plan_test.h"
#include "tandem/servers/server.h"
#include "tandem/servers/server_client.h"

namespace tandem::servers {

/// Servers of `count` hosts, as threads of this process, that reach one another within it or over loopback.
struct Hosts {
  Hosts(int64_t count, bool within_process, ServerOptions options);
  ClientOptions client(int64_t host, int64_t worker = 0) const;
  void wait();
  /// As errors name it.
  std::string name(int64_t host) const;

  std::vector<std::string> addresses;
  std::vector<std::unique_ptr<Server>> servers;
};

/// A rate of 0.25, and one server.
ServerPlan host_plan(ServerMode mode, int64_t workers);
/// Pushes all blocks and waits for the parameters.
PushOutcome step(ServerClient& client, const ServerPlan& plan, const Tensor& gradient, Tensor& parameters);

}  // namespace tandem::servers
