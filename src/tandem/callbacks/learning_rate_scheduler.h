#pragma once
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>

#include "tandem/callbacks/callback.h"

namespace tandem::callbacks {

/// Argument of keras.callbacks.LearningRateScheduler besides the schedule.
struct LearningRateSchedulerOptions {
  int64_t verbose = 0;  // 1: a line for each epoch
};

/// Sets the rate at the beginning of each epoch: `schedule(epoch)` or `schedule(epoch, present rate)`, the epoch from
/// 0. The history records "learning_rate". As keras.callbacks.LearningRateScheduler; the optimizer must not follow a
/// schedule itself. Throws InvalidArgument when the schedule returns something that is no rate.
class LearningRateScheduler : public Handle<Callback> {
 public:
  using Schedule = std::function<double(int64_t epoch, double rate)>;

  template <class F>
  requires(
      std::is_invocable_r_v<double, F, int, double> ||
      std::is_invocable_r_v<double, F, int>) explicit LearningRateScheduler(F schedule,
                                                                            LearningRateSchedulerOptions options = {})
      : Handle(make_scheduler(wrap(std::move(schedule)), options)) {}

 private:
  template <class F>
  static Schedule wrap(F schedule) {
    if constexpr (std::is_invocable_r_v<double, F, int, double>) {
      return [schedule](int64_t epoch, double rate) {
        return static_cast<double>(schedule(static_cast<int>(epoch), rate));
      };
    } else {
      return [schedule](int64_t epoch, double) { return static_cast<double>(schedule(static_cast<int>(epoch))); };
    }
  }
  static std::shared_ptr<Callback> make_scheduler(Schedule schedule, LearningRateSchedulerOptions options);
};

}  // namespace tandem::callbacks
