#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tandem/data/batch.h"
#include "tandem/distribution/execution.h"

namespace tandem {

/// Where the seconds of a step went, means over devices and steps.
struct StepTime {
  double computing = 0;
  double exchange = 0;  // gradient exchange that computing did not hide, bringing the devices together included
  double slower = 0;    // waiting for devices that take longer in most steps
  double input = 0;     // waiting for data
  double total() const { return computing + exchange + slower + input; }
};

/// `spent[s][r]`: what device r did in step s; all these steps took `seconds`, `input` of them for waiting for data.
/// Devices always wait a little for one another, for whoever the system ran last: only as far as their median steps
/// differ is it for slower devices, the rest belongs to the exchange.
StepTime divide_time(const std::vector<std::vector<distribute::TimeShares>>& spent, double seconds, double input);

/// What is said where `step` on all devices takes longer than `alone` seconds, those of the first device alone. Names
/// the largest part that is not computing.
std::string slowdown_warning(const Devices& devices, const StepTime& step, double alone);

/// Measures the first steps of a training on several devices, to tell once whether one alone would be faster.
class SlowdownCheck {
 public:
  /// For steps of `batch_size` rows; others are passed over.
  SlowdownCheck(distribute::Execution& execution, int64_t batch_size);

  /// After each step of `rows` rows: how long it took, `input` seconds of waiting for its data included.
  void add(int64_t rows, double seconds, double input);
  /// True after a step of the right size when enough were measured: eight, after two that fill caches, or three where
  /// the epoch has only `steps_left` more.
  bool knows_enough(int64_t steps_left) const;
  /// Has the first device compute `batch` of the right size alone, twice where it seems to be faster than all of them.
  /// Empty where it is not, or where that cannot be told.
  std::string warning(const data::Batch& batch);

 private:
  std::vector<distribute::TimeShares> shares() const;

  distribute::Execution& execution_;
  int64_t batch_size_, seen_ = 0;
  bool right_size_ = false;      // of the last step
  std::vector<double> seconds_;  // of each measured step
  double input_ = 0;             // of all of them
  std::vector<distribute::TimeShares> last_;
  std::vector<std::vector<distribute::TimeShares>> spent_;
};

}  // namespace tandem
