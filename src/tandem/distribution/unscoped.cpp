#include "tandem/distribution/unscoped.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/network/scoped_devices.h"

namespace tandem::distribute {

void check_unscoped(const std::string& who, const Network& network) {
  const auto layer = first_scoped(network);
  if (layer.empty()) return;
  throw InvalidArgument(c10::str(who, ": model '", network.name(), "' must have no layers in DeviceScopes, got ", layer,
                                 "; each process has the whole model on each of its devices"));
}

}  // namespace tandem::distribute
