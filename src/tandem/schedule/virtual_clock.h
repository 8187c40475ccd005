#pragma once
#include <cstdint>
#include <vector>

#include "tandem/schedule/instruction.h"

namespace tandem::schedule {

/// How long a pass of one micro batch through one chunk takes; transfers take no time of the stage.
struct Costs {
  double forward = 1, backward = 2;
  double transfer = 0;  // until what was sent is there
};

/// What a step of all stages would be, if each did its list in order and waited for what it receives.
struct Simulation {
  double seconds = 0;             // of the whole step
  std::vector<double> busy = {};  // by stage
  /// By stage: the most micro batches, counted by chunk, whose forward was made and whose backward was not.
  std::vector<int64_t> most_alive = {};

  /// The part of the step in which a stage waits, over all stages.
  double bubble() const;
};

/// Runs the lists of all stages on a clock. Throws InternalError naming the stage and the instruction where the lists
/// wait for one another for ever, or a pass comes without what it needs.
Simulation simulate(const std::vector<Instructions>& stages, const Division& division, const Costs& costs);

}  // namespace tandem::schedule
