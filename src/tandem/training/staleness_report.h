#pragma once
#include <string>

#include "tandem/callbacks/history.h"

namespace tandem {

/// What parameter servers counted:
///     staleness: 300 gradients of 0 updates, 150 of 1, 30 of 2; mean 0.44, most 2
/// and with backup workers "; 24 rows came too late and were dropped", of one server at least and another at most.
/// Empty where there were none.
std::string describe_staleness(const History& history);
/// What servers of several hosts counted:
///     servers averaged their parameters 12 times, and sent 4840 bytes to one another
/// Empty where they did not.
std::string describe_averages(const History& history);

}  // namespace tandem
