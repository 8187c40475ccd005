#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "tandem/core/tensor.h"
#include "tandem/data/dataset.h"
#include "tandem/data/distributed_sampler.h"
#include "tandem/data/receipt.h"
#include "tandem/data/share.h"

namespace tandem::data {

class Loader;

struct DataLoaderOptions {
  int64_t batch_size = 1;
  bool shuffle = false;                            // a new order each epoch; not with a sampler, which says for itself
  std::optional<DistributedSampler> sampler = {};  // this rank's rows
  int64_t workers = -1;                            // threads that make batches ahead; -1: chosen from the cores
  bool drop_last = false;                          // leave a short last batch out
};

/// Batches of a data set for a training loop of one's own, as torch.utils.data.DataLoader:
///     for (auto [x, y] : loader.epoch(epoch)) ...
/// Worker threads make the next batches; their number changes neither order nor numbers. The epoch keys the order, and
/// serving one again, or an earlier one, is an error: a loop that forgets to count would train on one order for ever.
class DataLoader {
 public:
  using Options = DataLoaderOptions;

  /// Throws InvalidArgument on a batch size that is not positive, a sampler for another number of rows, or shuffle
  /// beside a sampler.
  DataLoader(const Dataset& dataset, Options options = {});
  ~DataLoader();
  DataLoader(DataLoader&&) noexcept;
  DataLoader& operator=(DataLoader&&) noexcept;

  class Iterator;
  class Epoch;
  /// The batches of an epoch, each a pair of the first input and the first target (undefined where there is none).
  /// `first_batch`: leave out those before it, as after a resume. Throws InvalidArgument when the epoch is not above
  /// the last one.
  Epoch epoch(int64_t number, int64_t first_batch = 0);
  /// Batches of an epoch.
  int64_t batches() const;
  /// Where the loop is: the epoch that is served, and the batch that it is to have next. Given to epoch again, the loop
  /// of another process goes on from here.
  struct State {
    int64_t epoch = -1, next_batch = 0;
  };
  const State& state() const { return state_; }
  /// What of the data set was served in the epoch that is served, by the rows of the source that were in its batches;
  /// of a resumed epoch what its state says was served before comes beside it. distribute::check_receipt compares those
  /// of all ranks.
  Receipt receipt() const;
  /// The rows of the source that an epoch is to serve, and what a sampler makes of them.
  Share share(int64_t epoch) const;

 private:
  friend class Iterator;
  std::optional<Batch> next();

  Dataset whole_, dataset_;  // without and with the sampler
  Options options_;
  RandomStream random_;
  Receipt receipt_;  // of the epoch that is served: what was counted
  int64_t first_batch_ = 0;
  std::unique_ptr<Loader> loader_;
  State state_;
};

class DataLoader::Iterator {
 public:
  using value_type = std::pair<Tensor, Tensor>;

  Iterator() = default;
  explicit Iterator(DataLoader* loader) : loader_(loader) { ++*this; }
  value_type operator*() const { return {batch_->x.front(), batch_->y.empty() ? Tensor() : batch_->y.front()}; }
  /// All of it, with further inputs, targets and weights.
  const Batch& batch() const { return *batch_; }
  Iterator& operator++();
  bool operator!=(const Iterator& end) const { return batch_.has_value() != end.batch_.has_value(); }

 private:
  DataLoader* loader_ = nullptr;
  std::optional<Batch> batch_;
};

class DataLoader::Epoch {
 public:
  explicit Epoch(DataLoader* loader) : loader_(loader) {}
  Iterator begin() const { return Iterator(loader_); }
  Iterator end() const { return {}; }

 private:
  DataLoader* loader_;
};

}  // namespace tandem::data
