#pragma once
#include <cstdint>
#include <string>

namespace tandem {

/// What a process that trains with others does at the moment. Others are told when it falls silent.
enum class Activity : uint32_t { other, data, compute, exchange, callback };

/// "data"
const char* name_of(Activity activity);
/// "data, step 12"; "data" in no step.
std::string describe(Activity activity, int64_t step);

/// This process's: any thread may say and ask.
void report_activity(Activity activity);
Activity reported_activity();
/// The number of the step that it is in, from 1; 0: in none.
void report_step(int64_t step);
int64_t reported_step();

/// Reports `activity` while it lives, and then what was reported before.
class ActivityScope {
 public:
  explicit ActivityScope(Activity activity) : before_(reported_activity()) { report_activity(activity); }
  ~ActivityScope() { report_activity(before_); }
  ActivityScope(const ActivityScope&) = delete;
  ActivityScope& operator=(const ActivityScope&) = delete;

 private:
  Activity before_;
};

}  // namespace tandem
