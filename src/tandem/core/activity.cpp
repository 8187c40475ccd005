#include "tandem/core/activity.h"

#include <atomic>

namespace tandem {
namespace {

std::atomic<Activity> now{Activity::other};
std::atomic<int64_t> step{0};

}  // namespace

const char* name_of(Activity activity) {
  switch (activity) {
    case Activity::data:
      return "data";
    case Activity::compute:
      return "compute";
    case Activity::exchange:
      return "exchange";
    case Activity::callback:
      return "callback";
    case Activity::other:
      break;
  }
  return "other";
}

void report_activity(Activity activity) { now.store(activity, std::memory_order_relaxed); }
Activity reported_activity() { return now.load(std::memory_order_relaxed); }
void report_step(int64_t number) { step.store(number, std::memory_order_relaxed); }
int64_t reported_step() { return step.load(std::memory_order_relaxed); }

}  // namespace tandem
