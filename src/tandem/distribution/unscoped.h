#pragma once
#include <string>

#include "tandem/network/network.h"

namespace tandem::distribute {

/// Throws InvalidArgument in the name of `who` where layers of `network` are in DeviceScopes.
void check_unscoped(const std::string& who, const Network& network);

}  // namespace tandem::distribute
