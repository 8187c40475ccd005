#include "tandem/servers/server_names.h"

#include <c10/util/StringUtil.h>

#include <random>

namespace tandem::servers {

std::string name_of_server(int64_t server, std::size_t count, const std::string& address) {
  return c10::str("server ", server, " of ", count, " (", address, ")");
}

std::string name_of_run(const std::string& who) {
  std::random_device random;
  return c10::str(who, "-", random(), "-", random());
}

}  // namespace tandem::servers
