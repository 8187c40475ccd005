#pragma once
#include <string>

#include "tandem/servers/server_plan.h"

namespace tandem::servers {

/// The first in which a worker's plan differs from worker 0's, for an error: "mode async where worker 0 has sync".
/// Empty: they are alike.
std::string plan_difference(const ServerPlan& own, const ServerPlan& first);

}  // namespace tandem::servers
