#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tandem/core/random.h"
#include "tandem/data/batch.h"
#include "tandem/data/dataset.h"

namespace tandem::data {

struct LoaderOptions {
  int64_t batch_size = 32;   // where the data set has none of its own
  int64_t first_batch = 0;   // batches of the first epoch to leave out: where a resumed epoch of counted rows goes on
  int64_t max_batches = -1;  // an epoch ends before this batch; -1: with the data
  /// Up to this one, epochs follow one another: while the last batches of one are used, the first of the next are made.
  int64_t last_epoch = -1;
  /// Keys shuffles, augmentation.
  RandomStream random = {};
  /// Worker threads where the data set names none; -1: chosen from the cores, 0: batches are made by the caller.
  int64_t workers = -1;
  /// Where several processes share each batch: only these of its rows are made, maybe none. Empty: all. Data by device
  /// (PerDevice) says itself who gets what, so that all of it is made. Workers call it.
  OwnRows own_rows = {};
  /// Where several processes take batches from one pile, or parts of them. They are then made when they are asked for.
  DealBatch deal = {};
};

class GeneratorLoader;

/// Serves an epoch's batches in order while worker threads make the next ones, or asks a BatchGenerator for them. The
/// number of workers changes nothing in the numbers. A worker's exception is thrown by next(); the destructor ends the
/// workers.
class Loader {
 public:
  Loader(Dataset dataset, LoaderOptions options);
  ~Loader();
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  /// Starts (again) with epoch `epoch`.
  void start_epoch(int64_t epoch);
  /// The next batch, or nothing at the end of the epoch.
  std::optional<Batch> next();
  /// The source's rows that are in the batch that next() gave last, until the next call; none of a BatchGenerator.
  std::span<const int64_t> rows() const;
  /// The batch that next gave last was not used. Where the data is a stream that goes on from pass to pass, it is the
  /// next one again; else it is dropped.
  void give_back();
  /// Batches in a whole epoch; of a BatchGenerator max_batches, and -1 where it sets no bound.
  int64_t batches() const;
  /// True where the data is a stream that has ended for good.
  bool spent() const;
  /// Seconds that next() has waited for a batch, or made it, since start_epoch.
  double waited() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;                  // of rows that are known by number
  std::unique_ptr<GeneratorLoader> generator_;  // else
  int64_t max_batches_;
};

}  // namespace tandem::data
