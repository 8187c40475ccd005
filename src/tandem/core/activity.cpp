#include "tandem/core/activity.h"

#include <c10/util/StringUtil.h>

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

std::string describe(Activity activity, int64_t step) {
  return step > 0 ? c10::str(name_of(activity), ", step ", step) : name_of(activity);
}

void report_activity(Activity activity) { now.store(activity, std::memory_order_relaxed); }
Activity reported_activity() { return now.load(std::memory_order_relaxed); }
void report_step(int64_t number) { step.store(number, std::memory_order_relaxed); }
int64_t reported_step() { return step.load(std::memory_order_relaxed); }

}  // namespace tandem
