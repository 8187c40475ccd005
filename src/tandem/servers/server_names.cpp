#include "tandem/servers/server_names.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <random>

#include "tandem/core/error.h"

namespace tandem::servers {

std::string name_of_server(int64_t server, std::size_t count, const std::string& address) {
  return c10::str("server ", server, " of ", count, " (", address, ")");
}

std::string name_of_run(const std::string& who) {
  std::random_device random;
  return c10::str(who, "-", random(), "-", random());
}

void check_different(const std::vector<std::string>& addresses, const std::string& what) {
  for (auto a = addresses.begin(); a != addresses.end(); ++a) {
    if (std::find(addresses.begin(), a, *a) != a)
      throw InvalidArgument(c10::str(what, ": every server must have an address of its own, got ", *a, " twice"));
  }
}

}  // namespace tandem::servers
