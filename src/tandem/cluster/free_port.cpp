#include "tandem/cluster/free_port.h"

#include <arpa/inet.h>
#include <c10/util/StringUtil.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <list>
#include <mutex>
#include <set>

#include "tandem/core/error.h"

namespace tandem::cluster {

namespace {

constexpr std::size_t kPortsRemembered = 1000;

// A socket that is bound to a port which nobody else has.
class BoundSocket {
 public:
  BoundSocket() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    const bool found = socket_ >= 0 && ::bind(socket_, any, size) == 0 && ::getsockname(socket_, any, &size) == 0;
    const int why = errno;
    if (!found && socket_ >= 0) ::close(socket_);
    if (!found) throw Error(c10::str("no free port on the loopback interface: ", std::strerror(why)));
    port_ = ntohs(address.sin_port);
  }
  ~BoundSocket() { ::close(socket_); }
  BoundSocket(const BoundSocket&) = delete;
  BoundSocket& operator=(const BoundSocket&) = delete;
  int64_t port() const { return port_; }

 private:
  const int socket_;
  int64_t port_ = 0;
};

}  // namespace

int64_t free_port() {
  static std::mutex mutex;
  static std::set<int64_t> given;
  const std::lock_guard lock(mutex);
  if (given.size() == kPortsRemembered) given.clear();
  std::list<BoundSocket> tried;  // those that were given before: as long as they are bound others come
  while (true) {
    const int64_t port = tried.emplace_back().port();
    if (given.insert(port).second) return port;
  }
}

}  // namespace tandem::cluster
