#include "tandem/data/distributed_sampler.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <numeric>

#include "tandem/core/error.h"
#include "tandem/core/random.h"
#include "tandem/data/divide_rows.h"

namespace tandem::data {

DistributedSampler::DistributedSampler(int64_t size, int64_t num_replicas, int64_t rank, Options options)
    : size_(size), num_replicas_(num_replicas), rank_(rank), own_size_(0), options_(options) {
  if (num_replicas < 1)
    throw InvalidArgument(c10::str("DistributedSampler: num_replicas must be positive, got ", num_replicas));
  if (rank < 0 || rank >= num_replicas) {
    throw InvalidArgument(
        c10::str("DistributedSampler: rank must be below num_replicas, ", num_replicas, ", got ", rank));
  }
  if (options_.drop_last && !options_.even)
    throw InvalidArgument(
        "DistributedSampler: drop_last leaves rows out so that all ranks have as many; even must be true");
  const int64_t least = options_.drop_last || !options_.even ? num_replicas : 1;
  if (size < least)
    throw InvalidArgument(c10::str("DistributedSampler: there must be at least ", least, " rows, got ", size));
  own_size_ = options_.drop_last ? size / num_replicas : (size + num_replicas - 1) / num_replicas;
  if (!options_.even) own_size_ = divide_rows(size, num_replicas)[static_cast<std::size_t>(rank)];
}

DistributedSampler::DistributedSampler(std::vector<int64_t> own, int64_t size, int64_t num_replicas, int64_t rank,
                                       Options options)
    : DistributedSampler(size, num_replicas, rank, options) {
  own_ = std::move(own);
  own_size_ = static_cast<int64_t>(own_.size());
  for (const auto row : own_) {
    if (row < 0 || row >= size)
      throw InvalidArgument(c10::str("DistributedSampler: there is no row ", row, " among ", size, " rows"));
  }
  if (own_.empty()) throw InvalidArgument(c10::str("DistributedSampler: rank ", rank, " must have a row, got none"));
}

std::vector<int64_t> DistributedSampler::order_of_all(int64_t epoch) const {
  if (epoch < 0) throw InvalidArgument(c10::str("DistributedSampler: the epoch must not be negative, got ", epoch));
  const auto size = own_.empty() ? size_ : own_size_;
  std::vector<int64_t> all;
  if (options_.shuffle) {
    const RandomStream key(static_cast<uint64_t>(options_.seed));
    all = key.fold("sampler").fold(static_cast<uint64_t>(epoch)).permutation(size);
  } else {
    all.resize(static_cast<std::size_t>(size));
    std::iota(all.begin(), all.end(), int64_t{0});
    // The rows that this epoch leaves out are served in the next one.
    const int64_t left_out = own_.empty() && options_.drop_last ? size - own_size_ * num_replicas_ : 0;
    const int64_t first =
        static_cast<int64_t>(static_cast<uint64_t>(epoch) % static_cast<uint64_t>(size)) * left_out % size;
    std::rotate(all.begin(), all.end() - first, all.end());
  }
  return all;
}

std::vector<int64_t> DistributedSampler::order(int64_t epoch) const {
  const auto all = order_of_all(epoch);
  std::vector<int64_t> own;
  for (int64_t i = 0; i < own_size_; ++i) {
    own.push_back(own_.empty() ? all[static_cast<std::size_t>((rank_ + i * num_replicas_) % size_)]
                               : own_[static_cast<std::size_t>(all[static_cast<std::size_t>(i)])]);
  }
  return own;
}

int64_t DistributedSampler::padding() const {
  if (!own_.empty() || options_.drop_last) return 0;
  const int64_t alone = rank_ < size_ ? (size_ - rank_ - 1) / num_replicas_ + 1 : 0;  // places below size_
  return own_size_ - alone;
}

Share DistributedSampler::share(int64_t epoch) const {
  Share share;
  share.all.resize(static_cast<std::size_t>(size_));
  std::iota(share.all.begin(), share.all.end(), int64_t{0});
  share.rows = order(epoch);
  share.padding.assign(share.rows.end() - padding(), share.rows.end());
  share.rows.resize(share.rows.size() - share.padding.size());
  share.left_out = left_out(epoch);
  return share;
}

std::vector<int64_t> DistributedSampler::left_out(int64_t epoch) const {
  if (!own_.empty() || !options_.drop_last || rank_ != 0) return {};
  const auto all = order_of_all(epoch);
  return {all.begin() + own_size_ * num_replicas_, all.end()};
}

}  // namespace tandem::data
