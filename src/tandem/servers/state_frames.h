#pragma once
#include <vector>

#include "tandem/servers/frame.h"
#include "tandem/servers/parameter_range.h"
#include "tandem/servers/server_plan.h"

namespace tandem::servers {

/// The numbers and slots of a server's range as payload frames: the numbers, and of each slot its blocks. Element 0 of
/// the slots is element `begin` of the flat buffer: 0 for the whole buffer's, the range's begin for its own. The frames
/// are the slots' memory.
std::vector<Frame> frames_of(const RangeState& state, const ServerPlan& plan, int64_t server, int64_t begin);

/// The way back: slots of the range alone. `frames`: with the header in front. Throws DataError unless they are such.
RangeState state_of(int64_t iterations, const std::vector<Frame>& frames, const ServerPlan& plan, int64_t server);

/// Frame `first + i` is block i of the server: (n,) each. Throws DataError where one is missing or has another size.
std::vector<Tensor> blocks_of(const std::vector<Frame>& frames, std::size_t first, const ServerPlan& plan,
                              int64_t server);

}  // namespace tandem::servers
