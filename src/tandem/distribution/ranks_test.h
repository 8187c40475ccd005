#pragma once
#include <memory>

#include "tandem/comm/communicator.h"
#include "tandem/distribution/process_group.h"

namespace tandem::distribute {

/// A group of ranks that are threads.
inline ProcessGroup group_of(comm::Communicator& ranks) {
  return {std::shared_ptr<comm::Communicator>(&ranks, [](comm::Communicator*) {}), ranks.rank()};
}

}  // namespace tandem::distribute
