#include "tandem/distribution/unscoped.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/network/scoped_devices.h"

namespace tandem::distribute {

void check_unscoped(const std::string& who, const Network& network) {
  for (const auto& scope : scoped_devices(network)) {
    if (scope) {
      throw InvalidArgument(c10::str(who, ": model '", network.name(),
                                     "' must have no layers in DeviceScopes, got one on ", scope->to_string(),
                                     "; each process has the whole model on each of its devices"));
    }
  }
}

}  // namespace tandem::distribute
