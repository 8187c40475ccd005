#include "tandem/distribution/server_hosts.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <set>

#include "tandem/core/error.h"

namespace tandem::distribute {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw InvalidArgument("ParameterServer: " + what); }

}  // namespace

std::vector<int64_t> share_out(int64_t workers, int64_t servers, const std::string& what) {
  if (servers < 1 || workers % servers != 0) {
    refuse(c10::str(what, " must be a multiple of the servers with server_sync, got ", workers, " for ", servers,
                    " servers"));
  }
  std::vector<int64_t> shares;
  for (int64_t w = 0; w < workers; ++w) shares.push_back(w * servers / workers);
  return shares;
}

std::vector<int64_t> servers_of_processes(const std::vector<std::string>& servers,
                                          const std::vector<cluster::Address>& ranks, int64_t processes) {
  const auto by_order = [&] { return share_out(processes, static_cast<int64_t>(servers.size()), "processes"); };
  if (static_cast<int64_t>(ranks.size()) != processes) return by_order();
  std::vector<std::string> hosts;
  for (const auto& server : servers) hosts.push_back(cluster::Address::parse(server, "server address").host);
  if (std::set(hosts.begin(), hosts.end()).size() < hosts.size()) return by_order();
  std::vector<int64_t> own;
  for (const auto& rank : ranks) {
    const auto server = std::find(hosts.begin(), hosts.end(), rank.host);
    if (server == hosts.end())
      refuse(
          c10::str("each worker must have a server on its host with server_sync, but ", rank.to_string(), " has none"));
    own.push_back(server - hosts.begin());
  }
  for (std::size_t s = 0; s < servers.size(); ++s) {
    if (std::find(own.begin(), own.end(), static_cast<int64_t>(s)) == own.end())
      refuse(c10::str("each server must have a worker on its host with server_sync, but ", servers[s], " has none"));
  }
  return own;
}

}  // namespace tandem::distribute
