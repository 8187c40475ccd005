#pragma once
#include <cstdint>

namespace tandem::cluster {

/// A TCP port of the loopback interface that nobody listens on now, and that this process has not been given lately.
/// Throws Error where the system gives none.
int64_t free_port();

}  // namespace tandem::cluster
