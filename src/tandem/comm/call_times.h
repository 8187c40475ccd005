#pragma once
#include <algorithm>

#include "tandem/core/steady_seconds.h"

namespace tandem::comm {

/// Seconds that one rank spent in calls: until the last rank had come, and from then on.
class CallTimes {
 public:
  /// A call that began at `entered` ends now: until `all_here` it waited, and where it had no turn.
  void add(double entered, double all_here, double without_turn) {
    const double total = steady_seconds() - entered;
    const double waiting = std::clamp(all_here - entered, 0.0, total);
    const double moving = std::max(0.0, total - waiting - without_turn);
    moving_ += moving;
    waiting_ += total - moving;
  }
  /// What began at `entered` and ends now waited for nobody.
  void add_moving(double entered) { moving_ += steady_seconds() - entered; }

  double waiting() const { return waiting_; }
  double moving() const { return moving_; }

 private:
  double waiting_ = 0, moving_ = 0;
};

}  // namespace tandem::comm
