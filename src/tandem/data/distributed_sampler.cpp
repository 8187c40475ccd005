#include "tandem/data/distributed_sampler.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <numeric>

#include "tandem/core/error.h"
#include "tandem/core/random.h"

namespace tandem::data {

DistributedSampler::DistributedSampler(int64_t size, int64_t num_replicas, int64_t rank, Options options)
    : size_(size), num_replicas_(num_replicas), rank_(rank), own_size_(0), options_(options) {
  if (num_replicas < 1)
    throw InvalidArgument(c10::str("DistributedSampler: num_replicas must be positive, got ", num_replicas));
  if (rank < 0 || rank >= num_replicas) {
    throw InvalidArgument(
        c10::str("DistributedSampler: rank must be below num_replicas, ", num_replicas, ", got ", rank));
  }
  const int64_t least = options_.drop_last ? num_replicas : 1;
  if (size < least)
    throw InvalidArgument(c10::str("DistributedSampler: there must be at least ", least, " rows, got ", size));
  own_size_ = options_.drop_last ? size / num_replicas : (size + num_replicas - 1) / num_replicas;
}

std::vector<int64_t> DistributedSampler::order(int64_t epoch) const {
  if (epoch < 0) throw InvalidArgument(c10::str("DistributedSampler: the epoch must not be negative, got ", epoch));
  std::vector<int64_t> all;
  if (options_.shuffle) {
    const RandomStream key(static_cast<uint64_t>(options_.seed));
    all = key.fold("sampler").fold(static_cast<uint64_t>(epoch)).permutation(size_);
  } else {
    all.resize(static_cast<std::size_t>(size_));
    std::iota(all.begin(), all.end(), int64_t{0});
    // The rows that this epoch leaves out are served in the next one.
    const int64_t left_out = options_.drop_last ? size_ - own_size_ * num_replicas_ : 0;
    const int64_t first =
        static_cast<int64_t>(static_cast<uint64_t>(epoch) % static_cast<uint64_t>(size_)) * left_out % size_;
    std::rotate(all.begin(), all.end() - first, all.end());
  }
  std::vector<int64_t> own;
  for (int64_t i = 0; i < own_size_; ++i)
    own.push_back(all[static_cast<std::size_t>((rank_ + i * num_replicas_) % size_)]);
  return own;
}

}  // namespace tandem::data
