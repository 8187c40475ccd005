#pragma once
#include <cstdint>
#include <vector>

namespace tandem::data {

struct DistributedSamplerOptions {
  bool shuffle = true;
  int64_t seed = 0;
  bool drop_last = false;  // leave rows out rather than serve some twice, so that all ranks have as many
};

/// The rows of one rank among several that share a data set, as torch.utils.data.DistributedSampler: those at places
/// rank, rank + num_replicas, ... of an order that all ranks have alike. It depends on seed and epoch, so that no epoch
/// need be set, and none can be forgotten. All ranks get as many rows: the first of the order once more where that does
/// not go, also several times where there are more ranks than rows; or, with drop_last, the last ones are left out,
/// other rows in each epoch, so that none is lost for ever.
class DistributedSampler {
 public:
  using Options = DistributedSamplerOptions;

  /// Throws InvalidArgument unless rank is below num_replicas and there is a row (with drop_last, one for each rank).
  DistributedSampler(int64_t size, int64_t num_replicas, int64_t rank, Options options = {});
  /// For a rank of a process group, or whatever has world_size() and rank().
  template <class Group>
  requires requires(const Group& group) { group.rank() + group.world_size(); }
  DistributedSampler(int64_t size, const Group& group, Options options = {})
      : DistributedSampler(size, group.world_size(), group.rank(), options) {}

  /// This rank's rows of an epoch, in the order in which they are served.
  std::vector<int64_t> order(int64_t epoch) const;
  /// How many there are.
  int64_t size() const { return own_size_; }
  int64_t num_replicas() const { return num_replicas_; }
  int64_t rank() const { return rank_; }

 private:
  int64_t size_, num_replicas_, rank_, own_size_;
  Options options_;
};

}  // namespace tandem::data
