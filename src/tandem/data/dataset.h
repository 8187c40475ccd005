#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tandem/core/random.h"
#include "tandem/core/tensor.h"
#include "tandem/data/batch.h"
#include "tandem/data/example.h"
#include "tandem/data/source.h"
#include "tandem/data/transform.h"

namespace tandem {

/// Rows and the way they are served: a source with decorators. A value; each decorator returns a new data set that
/// shares the source. `train.map(data::RandomShift(0.1)).shuffle().batch(64).prefetch()`.
class Dataset {
 public:
  Dataset() = default;
  explicit Dataset(std::shared_ptr<const data::Source> source);
  /// `size` rows made by a function of their number, which several worker threads call at once:
  ///     Dataset::from(1000, [&](int64_t i) { return data::Example{.x = image(i), .y = at::scalar_tensor(label(i))}; })
  /// Shapes must be equal in all rows.
  static Dataset from(int64_t size, std::function<data::Example(int64_t row)> row);

  /// Rows served in an epoch; data::kUnknownSize, -1, of a data::BatchGenerator.
  int64_t size() const;
  /// Throws InvalidArgument, saying that `who` needs them, where rows cannot be asked for by number (BatchGenerator).
  void require_rows(const char* who) const;
  /// Row `i` of an epoch in the order of the source (before shuffling; transforms applied, epoch 0), with a batch axis
  /// of 1.
  data::Batch get(int64_t i) const;

  /// Applies `transform` to every batch, on worker threads.
  Dataset map(data::TransformHandle transform) const;
  /// A new order each epoch, keyed by (seed, epoch). Without a seed the key comes from set_random_seed's stream.
  Dataset shuffle(std::optional<int64_t> seed = std::nullopt) const;
  /// Global batch size; with drop_remainder the short batch at the end is left out. Throws InvalidArgument unless size
  /// > 0.
  Dataset batch(int64_t size, bool drop_remainder = false) const;
  /// Batches made ahead of use (-1: twice the workers) by `workers` threads (-1: chosen from the cores). Of a
  /// data::BatchGenerator by one thread, -1: two batches.
  Dataset prefetch(int64_t batches = -1, int64_t workers = -1) const;
  /// The first n rows of what is served so far.
  Dataset take(int64_t n) const;

  /// `count` rows in the order that a function of the epoch gives: their numbers among those served so far. Loaders
  /// call it on their threads.
  Dataset ordered_by(int64_t count, std::function<std::vector<int64_t>(int64_t epoch)> order) const;

  /// All inputs or targets in order, as held by the source. The argument chooses one of several.
  Tensor x(int64_t i = 0) const;
  Tensor y(int64_t i = 0) const;

  /// 0 when batch was not called.
  int64_t batch_size() const { return batch_size_; }
  /// True when rows are not served in the source's order.
  bool is_shuffled() const;
  /// Batches in an epoch, for `batch_size` where batch was not called; -1 of a data::BatchGenerator.
  int64_t batches(int64_t batch_size = 32) const;

  // What the loader reads.
  struct OrderStep {
    enum class Kind { shuffle, take, given } kind;
    std::optional<int64_t> seed;
    int64_t count = 0;
    std::function<std::vector<int64_t>(int64_t epoch)> order = {};
  };
  const std::shared_ptr<const data::Source>& source() const { return source_; }
  const std::vector<OrderStep>& order_steps() const { return order_; }
  const std::vector<data::TransformHandle>& transforms() const { return transforms_; }
  bool drop_remainder() const { return drop_remainder_; }
  int64_t prefetch_batches() const { return prefetch_batches_; }
  int64_t workers() const { return workers_; }
  /// Source rows in the order of epoch `epoch`; `random` keys the shuffles without a seed of their own.
  std::vector<int64_t> order(int64_t epoch, const RandomStream& random) const;

 private:
  std::shared_ptr<const data::Source> source_;
  std::vector<OrderStep> order_;
  std::vector<data::TransformHandle> transforms_;
  int64_t batch_size_ = 0;
  bool drop_remainder_ = false;
  int64_t prefetch_batches_ = -1;
  int64_t workers_ = -1;
};

namespace data {

/// Tensors in memory as a data set: rows on the first axis of each. `weights`: as Batch::weights.
class TensorDataset : public Dataset {
 public:
  TensorDataset(const Tensors& x, const Tensors& y = {}, const Tensors& weights = {});
};

}  // namespace data
}  // namespace tandem
