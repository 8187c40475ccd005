#include "tandem/training/staleness_report.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <cmath>

namespace tandem {
namespace {

// Each server drops what comes too late for its own range.
std::string describe_dropped(const std::vector<int64_t>& rows) {
  if (rows.empty()) return "";
  const auto [least, most] = std::minmax_element(rows.begin(), rows.end());
  return c10::str("; ", *least == *most ? c10::str(*most) : c10::str(*least, " to ", *most),
                  " rows came too late and were dropped");
}

}  // namespace

std::string describe_staleness(const History& history) {
  std::string counts;
  const auto& by_age = history.facts().staleness;
  for (std::size_t age = 0; age < by_age.size(); ++age) {
    if (by_age[age] == 0) continue;
    counts += counts.empty() ? c10::str(by_age[age], by_age[age] == 1 ? " gradient of " : " gradients of ", age,
                                        age == 1 ? " update" : " updates")
                             : c10::str(", ", by_age[age], " of ", age);
  }
  if (counts.empty()) return "";
  return c10::str("staleness: ", counts, "; mean ", std::round(history.mean_staleness() * 100) / 100, ", most ",
                  history.max_staleness(), describe_dropped(history.facts().dropped_rows));
}

std::string describe_averages(const History& history) {
  const auto& facts = history.facts();
  if (facts.server_rounds == 0) return "";
  return c10::str("servers averaged their parameters ", facts.server_rounds,
                  facts.server_rounds == 1 ? " time" : " times", "; those that this process trains with sent ",
                  facts.server_bytes, " bytes to others");
}

}  // namespace tandem
