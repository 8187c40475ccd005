#include <atomic>

#include "tandem/cluster/free_port.h"
#include "tandem/core/error.h"
#include "tandem/servers/hosts_test.h"

namespace tandem::servers {

// Another may take a free port before it is bound here: then others are tried.
Hosts::Hosts(int64_t count, bool within_process, ServerOptions options) {
  static std::atomic<int> number = 0;
  for (int left = 5; static_cast<int64_t>(servers.size()) < count; --left) {
    addresses.clear();
    for (int64_t h = 0; h < count; ++h)
      addresses.push_back(within_process ? "inproc://host-" + std::to_string(++number)
                                         : "127.0.0.1:" + std::to_string(cluster::free_port()));
    options.hosts = addresses;
    try {
      for (options.host = 0; options.host < count; ++options.host) servers.push_back(std::make_unique<Server>(options));
    } catch (const InvalidArgument& error) {
      if (left == 1 || std::string(error.what()).find("cannot listen there") == std::string::npos) throw;
      servers.clear();
    }
  }
}

ClientOptions Hosts::client(int64_t host, int64_t worker) const {
  return {.servers = {addresses[static_cast<std::size_t>(host)]}, .worker = worker, .wait_seconds = 60};
}

void Hosts::wait() {
  for (const auto& server : servers) server->wait();
}

std::string Hosts::name(int64_t host) const {
  return "server " + std::to_string(host) + " of " + std::to_string(addresses.size()) + " (" +
         addresses[static_cast<std::size_t>(host)] + ")";
}

ServerPlan host_plan(ServerMode mode, int64_t workers) {
  return plan_of("SGD", Config::object({{"learning_rate", 0.25}}), {.mode = mode, .workers = workers}, 1, 64);
}

PushOutcome step(ServerClient& client, const ServerPlan& plan, const Tensor& gradient, Tensor& parameters) {
  for (int64_t b = plan.blocks() - 1; b >= 0; --b) client.push(b, gradient);
  return client.finish(parameters);
}

}  // namespace tandem::servers
