#pragma once
#include <cstdint>
#include <string>

#include "tandem/data/dataset.h"
#include "tandem/data/distributed_sampler.h"

namespace tandem::data {

struct ShardOptions {
  std::string by = "auto";  // "row", "file", or "auto": by file where each rank gets one, else by row
  bool shuffle = true;
  int64_t seed = 0;
  bool drop_last = false;  // by row: leave rows out rather than serve some twice
};

/// The sampler of rank `rank` among `num_replicas` that share `dataset`. By row it is a DistributedSampler. By file
/// each rank has files of its own, whole, in every epoch, so that it reads no others: large files first, each to the
/// rank that has the fewest rows. Ranks then may have unequal numbers of batches: run the loop in
/// DistributedDataParallel's join. Files are those of image_folder, the parts of concatenate, or what a source derived
/// from RowFiles says. A line in the log says by which it was, and how much this rank has. Throws InvalidArgument where
/// there are fewer files than ranks (by file), or the data set is shuffled already.
DistributedSampler shard(const Dataset& dataset, int64_t num_replicas, int64_t rank, const ShardOptions& options = {});

/// For a rank of a process group, or whatever has world_size() and rank():
///     data::DataLoader loader(pictures, {.batch_size = 32, .sampler = data::shard(pictures, group, {.by = "file"})});
template <class Group>
requires requires(const Group& group) { group.rank() + group.world_size(); }
DistributedSampler shard(const Dataset& dataset, const Group& group, const ShardOptions& options = {}) {
  return shard(dataset, group.world_size(), group.rank(), options);
}

}  // namespace tandem::data
