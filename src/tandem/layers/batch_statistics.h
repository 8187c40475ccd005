#pragma once
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "tandem/core/tensor.h"
#include "tandem/layers/weight.h"

namespace tandem {

/// What batch normalisations saw of the parts of one batch, so that moving averages move once, by the mean and variance
/// of the whole batch, and not with each part (CallContext::statistics). Used by one thread.
class BatchStatistics {
 public:
  struct Averages {
    Weight mean, variance;  // the moving ones
    double momentum;
  };

  /// The calls that follow are of `place` in the model (the same layer may be called at several), on other rows.
  void begin_part(std::size_t place) {
    place_ = place;
    calls_.clear();
  }
  /// One call's mean and biased variance, (channels), over `count` values a channel.
  void add(const Averages& averages, const Tensor& mean, const Tensor& variance, double count);
  /// All that was seen, float64 (n): for others that saw other rows of the batch in the same calls.
  Tensor pack() const;
  /// Adds what another one packed, as large as the own.
  void add(const Tensor& packed);
  /// Moves the averages, those of a layer's first call first, and forgets what it moved them by. In the WeightScope of
  /// whoever has them.
  void apply();

 private:
  struct Part {
    Tensor mean, variance;
    double count;
  };
  struct Seen {
    Averages averages;
    std::vector<std::vector<Part>> by_call;
  };
  using Key = std::pair<std::size_t, const Variable*>;
  static Part whole(const std::vector<Part>& parts);

  std::size_t place_ = 0;
  std::map<Key, Seen> seen_;
  std::vector<Key> order_;                        // in which they were seen first, the same for all rows
  std::map<const Variable*, std::size_t> calls_;  // of this part so far
};

}  // namespace tandem
