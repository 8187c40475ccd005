#pragma once
#include <cstdint>

#include "tandem/data/data_loader.h"
#include "tandem/data/distributed_sampler.h"
#include "tandem/data/share.h"
#include "tandem/distribution/process_group.h"

namespace tandem::distribute {

/// Makes sure, before training, that ranks share a data set: that each row is served by one rank, or left out by one
/// that knows of it, and padding apart none twice. Collective. Throws InvalidArgument on all ranks, naming a row with
/// the ranks that serve it, or one that none does; or the rank that has another data set. Sends a few numbers where all
/// is well, and some kilobytes else.
void check_shards(const data::Share& share, const ProcessGroup& group);
void check_shards(const data::DistributedSampler& sampler, const ProcessGroup& group, int64_t epoch = 0);
/// Also warns where ranks have unequal numbers of batches.
void check_shards(const data::DataLoader& loader, const ProcessGroup& group, int64_t epoch = 0);

}  // namespace tandem::distribute
