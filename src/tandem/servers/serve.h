#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tandem/cluster/environment.h"
#include "tandem/cluster/membership.h"
#include "tandem/comm/job_key.h"
#include "tandem/servers/server.h"
#include "tandem/servers/server_client.h"

namespace tandem::servers {

/// The address of a process whose role is ps, "host:port". Throws InvalidArgument on another role.
std::string own_server_address(const cluster::Membership& self);
/// Those of all of the job.
std::vector<std::string> server_addresses(const cluster::Membership& self);

/// The job's key by TANDEM_JOB_KEY; nothing where that is not set. Throws InvalidArgument on text that is none.
std::optional<comm::JobKey> job_key_of(const cluster::Environment& environment);

/// Servers and key of the job that this process is one of, by the cluster's variables; no address where it has none.
ClientOptions client_of_job();

/// What a process whose role is ps does: serves until the workers are done, and says what became of their gradients.
/// `listening`: is called with the address once workers can come. Throws as Server does, and PeerError when the job
/// could not go on: the server has told its workers why, or they have been gone for gone_seconds and none of them said
/// that it is done.
///
///     const auto self = cluster::who_am_i(cluster::Environment());
///     if (self.role == cluster::Role::server) {
///       servers::serve({.address = servers::own_server_address(self), .key = servers::job_key_of({})});
///       return 0;
///     }
ServerFigures serve(const ServerOptions& options,
                    const std::function<void(const std::string& address)>& listening = {});

/// Waits for a server as serve() does.
void wait_until_done(Server& server);

}  // namespace tandem::servers
