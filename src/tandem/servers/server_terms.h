#pragma once
#include <string>
#include <string_view>

#include "tandem/core/tensor.h"
#include "tandem/servers/server_group.h"

namespace tandem::servers {

/// What the servers of all hosts must have alike: the way, how often, the weights, and the values that they begin with,
/// of which the terms hold a number that differs when they do. `rounds`: after which the values were saved; 0: they
/// were not, and after that many each has its own in async-scatter-sum.
std::string server_terms(const GroupOptions& options, const ServerPlan& plan, const Tensor& parameters, int64_t rounds);
/// Whether it is one that saves.
bool terms_save(std::string_view terms);
/// What is wrong with another's terms, such as "must have server_sync ring, got all-reduce"; empty: nothing.
std::string difference_of_terms(std::string_view own, std::string_view other);

}  // namespace tandem::servers
