#pragma once
#include <cstdint>
#include <vector>

#include "tandem/model/processes_case_test.h"

namespace tandem::parity {

/// As train_with, over processes of one device each on hosts, as testing::run_hosts has them.
std::vector<Result> train_on_hosts(const Task& task, const std::vector<int64_t>& begins, const MakeStrategy& make);

}  // namespace tandem::parity
