#include "tandem/cluster/free_port.h"

#include <arpa/inet.h>
#include <c10/util/StringUtil.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "tandem/core/error.h"

namespace tandem::cluster {

int64_t free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  const bool found = socket >= 0 && ::bind(socket, any, size) == 0 && ::getsockname(socket, any, &size) == 0;
  const int why = errno;
  if (socket >= 0) ::close(socket);
  if (!found) throw Error(c10::str("no free port on the loopback interface: ", std::strerror(why)));
  return ntohs(address.sin_port);
}

}  // namespace tandem::cluster
