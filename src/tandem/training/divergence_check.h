#pragma once
#include <cstdint>
#include <string>

namespace tandem {

/// Tells from the losses of a training's batches that they grow without end, once. It goes by their means over kWindow
/// batches, and by the first batch's where that has kRows rows: one is much that is more than kMuch times the least one
/// so far (and kLeast). It is told when means grew twice in a row to one that is much, or after a jump: when two in a
/// row are much, and the second one is not below kFalls times the first.
class DivergenceCheck {
 public:
  static constexpr int64_t kWindow = 20;
  static constexpr int64_t kRows = 16;  // of fewer the mean says little
  static constexpr double kMuch = 10, kLeast = 1e-3, kFalls = 0.5;

  /// True at the batch that shows it.
  bool add(double loss, int64_t rows);
  /// Means over the last whole window, and the least one.
  double last() const { return last_; }
  double least() const { return least_; }

 private:
  double sum_ = 0, last_ = -1, least_ = -1;  // below 0: none yet
  int64_t count_ = 0, grown_ = 0;
  bool is_much_ = false, begun_ = false, told_ = false;
};

}  // namespace tandem
