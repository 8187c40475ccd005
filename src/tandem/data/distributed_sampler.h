#pragma once
#include <cstdint>
#include <vector>

#include "tandem/data/share.h"

namespace tandem::data {

struct DistributedSamplerOptions {
  bool shuffle = true;
  int64_t seed = 0;
  bool drop_last = false;  // leave rows out rather than serve some twice, so that all ranks have as many
  bool even = true;        // false: each row once, the last ranks may have one less: to evaluate
};

/// The rows of one rank among several that share a data set, as torch.utils.data.DistributedSampler: those at places
/// rank, rank + num_replicas, ... of an order that all ranks have alike. It depends on seed and epoch, so that no epoch
/// need be set, and none can be forgotten. All ranks get as many rows: the first of the order once more where that does
/// not go, also several times where there are more ranks than rows; or, with drop_last, the last ones are left out,
/// other rows in each epoch, so that none is lost for ever. Where `even` is false no row is served twice or left out,
/// as evaluation needs; loops with it may make unequal numbers of steps.
class DistributedSampler {
 public:
  using Options = DistributedSamplerOptions;

  /// Throws InvalidArgument unless rank is below num_replicas and there is a row (with drop_last, or not
  /// even, one for each rank).
  DistributedSampler(int64_t size, int64_t num_replicas, int64_t rank, Options options = {});
  /// For a rank of a process group, or whatever has world_size() and rank().
  template <class Group>
  requires requires(const Group& group) { group.rank() + group.world_size(); }
  DistributedSampler(int64_t size, const Group& group, Options options = {})
      : DistributedSampler(size, group.world_size(), group.rank(), options) {}

  /// Of rows that are this rank's in every epoch, as data::shard deals out files; with shuffle in another order each
  /// time. None is served twice, none left out.
  DistributedSampler(std::vector<int64_t> own, int64_t size, int64_t num_replicas, int64_t rank, Options options = {});

  /// This rank's rows of an epoch, in the order in which they are served.
  std::vector<int64_t> order(int64_t epoch) const;
  /// How many there are.
  int64_t size() const { return own_size_; }
  /// How many of them, the last ones, another rank serves too.
  int64_t padding() const;
  /// What they are among the rows of all ranks. Those that no rank gets (drop_last) are left out by rank 0.
  Share share(int64_t epoch) const;
  /// Rows of this rank's share that the epoch leaves out (drop_last): rank 0's part are all of them.
  std::vector<int64_t> left_out(int64_t epoch) const;
  int64_t num_replicas() const { return num_replicas_; }
  int64_t rank() const { return rank_; }

 private:
  // All rows in the order that ranks share.
  std::vector<int64_t> order_of_all(int64_t epoch) const;

  int64_t size_, num_replicas_, rank_, own_size_;
  std::vector<int64_t> own_;  // where rows are this rank's in every epoch
  Options options_;
};

}  // namespace tandem::data
