#pragma once
#include <cstdint>

#include "tandem/distribution/execution.h"
#include "tandem/distribution/named_options.h"

namespace tandem::distribute {

/// What processes that train `program` together must have alike in it: weights, layers' precision, losses, optimizer.
NamedOptions program_options(const Program& program);

/// Collective. Throws InvalidArgument, in the name of `strategy` and naming the rank, where processes have not as many
/// devices, or not the same options.
void check_alike(Peers& peers, const char* strategy, const Program& program, int64_t devices,
                 const NamedOptions& options);

}  // namespace tandem::distribute
