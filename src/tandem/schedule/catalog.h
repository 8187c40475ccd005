#pragma once
#include <string>
#include <vector>

#include "tandem/schedule/instruction.h"

namespace tandem::schedule {

/// A stage's list: a pure function of the stage and the division.
using Schedule = Instructions (*)(int64_t stage, const Division& division);

/// By name: "gpipe", "1f1b", "interleaved". Throws InvalidArgument that proposes the nearest.
Schedule schedule_by_name(const std::string& name);
std::vector<std::string> schedule_names();

}  // namespace tandem::schedule
