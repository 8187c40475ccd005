#pragma once
#include <cstdint>
#include <span>

#include "tandem/core/random.h"
#include "tandem/data/batch.h"
#include "tandem/data/dataset.h"
#include "tandem/data/epoch_plan.h"

namespace tandem::data {

/// Lays epochs out and makes their batches. Holds no state that changes: any thread may make any batch, and gets the
/// same.
class BatchMaker {
 public:
  /// `batch_size` holds where the data set has none of its own; at most `max_batches` an epoch unless that is -1.
  /// `own_rows` as in LoaderOptions.
  /// Throws InvalidArgument or DataError when an epoch would have no batch.
  BatchMaker(Dataset dataset, int64_t batch_size, int64_t max_batches, RandomStream random, OwnRows own_rows = {});

  const Dataset& dataset() const { return dataset_; }
  /// Batches in an epoch.
  int64_t batches() const { return batches_; }
  /// True when batches are slices of tensors in memory: nothing is left to do for a worker.
  bool is_free() const { return in_memory_ && dataset_.transforms().empty() && !dataset_.is_shuffled(); }
  /// True when batches are gathered from tensors in memory and nothing more.
  bool is_cheap() const { return in_memory_ && dataset_.transforms().empty(); }

  EpochPlan plan(int64_t epoch, int64_t first_batch = 0) const;
  /// Throws what the source or a transform throws, with the batch, the epoch and, where one row is to blame, the row
  /// named.
  Batch make(const EpochPlan& plan, int64_t batch) const { return make(plan, batch, own_rows_); }
  /// The same with other rows of it.
  Batch make(const EpochPlan& plan, int64_t batch, const OwnRows& own_rows) const;

 private:
  // What is made here of a batch: source rows, the number of the first within the batch, and the batch's rows where
  // these are not all, else -1.
  struct Part {
    std::span<const int64_t> rows;
    int64_t first = 0, all = -1;
  };
  Part part_of(const EpochPlan& plan, int64_t batch, const OwnRows& own_rows) const;
  Batch make_rows(const EpochPlan& plan, std::span<const int64_t> rows) const;
  [[noreturn]] void fail(const EpochPlan& plan, int64_t batch, std::span<const int64_t> rows) const;

  Dataset dataset_;
  int64_t batch_size_;
  RandomStream random_;
  OwnRows own_rows_;
  bool in_memory_ = false;
  const class PerDeviceSource* by_device_ = nullptr;  // null unless the data says which device gets what
  int64_t batches_ = 0;
};

}  // namespace tandem::data
