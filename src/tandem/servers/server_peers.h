#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tandem/comm/job_key.h"
#include "tandem/servers/frame.h"
#include "tandem/servers/server_link.h"
#include "tandem/servers/server_message.h"

namespace tandem::servers {

/// A server's connections to those of the other hosts, by which it speaks to them; what they say comes in by the doors
/// at which it hears workers, too. Notices who has gone, or refuses to speak. To be used by one thread.
class ServerPeers {
 public:
  struct Options {
    std::vector<std::string> names = {}, addresses = {};  // of all servers
    int64_t own = 0;
    std::optional<comm::JobKey> key = {};
    double silence_seconds = 10;
  };

  /// Connects without waiting. Throws InvalidArgument on an address that is none.
  explicit ServerPeers(const Options& options);

  /// Does not wait.
  void send(int64_t to, const Header& header, std::vector<Frame> payload);

  struct Look {
    std::function<bool(int64_t server)> leave_out;  // those that are gone already
    std::function<void(int64_t server, const std::string& why)> lost;
    std::function<void(int64_t server)> again;  // the connection was made anew: what it may have lost
  };
  /// To be called often.
  void look(double now, const Look& look);

 private:
  const int64_t own_;
  std::vector<std::unique_ptr<ServerLink>> links_;  // by server; none to this one
};

}  // namespace tandem::servers
