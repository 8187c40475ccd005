#include "tandem/servers/server_peers.h"

#include <c10/util/StringUtil.h>

#include <tuple>
#include <zmq.hpp>

#include "tandem/core/error.h"
#include "tandem/servers/server_names.h"

namespace tandem::servers {

ServerPeers::ServerPeers(const Options& options) : own_(options.own), links_(options.addresses.size()) {
  const auto own_name = name_of_run(c10::str("server ", own_));
  for (std::size_t s = 0; s < links_.size(); ++s) {
    if (static_cast<int64_t>(s) == own_) continue;
    links_[s] = std::make_unique<ServerLink>(options.names[s], options.addresses[s], own_name, options.key,
                                             options.silence_seconds);
  }
}

void ServerPeers::send(int64_t to, const Header& header, std::vector<Frame> payload) {
  // One that takes nothing more is noticed by its silence.
  std::ignore = links_[static_cast<std::size_t>(to)]->send(header, std::move(payload));
}

void ServerPeers::look(double now, const Look& look) {
  for (std::size_t s = 0; s < links_.size(); ++s) {
    const auto server = static_cast<int64_t>(s);
    auto* link = links_[s].get();
    if (!link) continue;
    std::string refused;
    while (const auto message = link->receive()) {
      if (message->header.kind == Kind::error && !message->payload.empty())
        refused = c10::str(link->name(), ": ", message->payload[0].text());
    }
    if (look.leave_out(server)) continue;
    if (!refused.empty()) {
      look.lost(server, refused);
      continue;
    }
    try {
      link->check(now);
    } catch (const PeerError& error) {
      look.lost(server, error.what());
      continue;
    }
    if (link->has_come_back()) look.again(server);
    link->ping(own_, now);
  }
}

}  // namespace tandem::servers
