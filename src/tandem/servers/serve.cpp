#include "tandem/servers/serve.h"

#include <c10/util/StringUtil.h>

#include "tandem/cluster/who_am_i.h"
#include "tandem/core/error.h"

namespace tandem::servers {

std::string own_server_address(const cluster::Membership& self) {
  if (self.role != cluster::Role::server)
    throw InvalidArgument(
        c10::str("parameter server: this process must have the role ps, or be given an address; it is ",
                 cluster::to_string(self.role), " ", self.index, " by ", self.source));
  return self.servers.at(static_cast<std::size_t>(self.index)).to_string();
}

std::vector<std::string> server_addresses(const cluster::Membership& self) {
  std::vector<std::string> addresses;
  for (const auto& server : self.servers) addresses.push_back(server.to_string());
  return addresses;
}

std::optional<comm::JobKey> job_key_of(const cluster::Environment& environment) {
  const auto secret = environment.get(comm::kJobKeyVariable);
  if (!secret) return {};
  try {
    return comm::JobKey::of_secret(*secret);
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(c10::str(comm::kJobKeyVariable, ": ", error.what()));
  }
}

ClientOptions client_of_job() {
  const cluster::Environment environment;
  ClientOptions client{.servers = {}, .key = job_key_of(environment)};
  for (const auto& server : cluster::who_am_i(environment).servers) client.servers.push_back(server.to_string());
  return client;
}

ServerFigures serve(const ServerOptions& options, const std::function<void(const std::string&)>& listening) {
  Server server(options);
  if (listening) listening(server.address());
  wait_until_done(server);
  return server.figures();
}

void wait_until_done(Server& server) {
  server.wait();
  if (!server.done()) throw PeerError("server at " + server.address() + ": " + server.why_not_done());
}

}  // namespace tandem::servers
