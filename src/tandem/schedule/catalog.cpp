// One row a schedule.
#include "tandem/schedule/catalog.h"

#include "tandem/core/catalog.h"
#include "tandem/schedule/gpipe.h"
#include "tandem/schedule/interleaved.h"
#include "tandem/schedule/one_forward_one_backward.h"

namespace tandem::schedule {
namespace {

const Catalog<Schedule>& catalog() {
  static const Catalog<Schedule> table(
      "schedule", {{"gpipe", gpipe}, {"1f1b", one_forward_one_backward}, {"interleaved", interleaved}});
  return table;
}

}  // namespace

Schedule schedule_by_name(const std::string& name) { return catalog().at(name); }
std::vector<std::string> schedule_names() { return catalog().names(); }

}  // namespace tandem::schedule
