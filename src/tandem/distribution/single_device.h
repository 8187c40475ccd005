#pragma once
#include "tandem/distribution/strategy.h"

namespace tandem::distribute {

/// All rows on one device, which has all cores.
struct SingleDevice : Strategy {
  explicit SingleDevice(const Device& device = {}, int64_t threads = 0);
};

}  // namespace tandem::distribute
