#pragma once
#include <cstdint>
#include <string>

namespace tandem {

/// Tells from the losses of a training's batches that they grow without end, once: their means over kWindow batches
/// grew twice in a row, to more than kMuch times the least one so far (and kLeast).
class DivergenceCheck {
 public:
  static constexpr int64_t kWindow = 20;
  static constexpr double kMuch = 10, kLeast = 1e-3;

  /// True at the batch that shows it.
  bool add(double loss);
  /// Means over the last whole window and over the best one.
  double last() const { return last_; }
  double least() const { return least_; }

 private:
  double sum_ = 0, last_ = 0, least_ = -1;
  int64_t count_ = 0, grown_ = 0;
  bool told_ = false;
};

}  // namespace tandem
