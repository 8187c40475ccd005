#include "tandem/metrics/threshold_setting.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/config_reader.h"

namespace tandem {

Thresholds thresholds_or(const std::vector<double>& given, double fallback, const std::string& metric) {
  for (const double t : given) {
    if (!(t >= 0 && t <= 1))  // written so that NaN fails too
      throw InvalidArgument(c10::str(metric, ": thresholds must lie in [0, 1], got ", t));
  }
  return Thresholds(given.empty() ? std::vector<double>{fallback} : given);
}

Config thresholds_config(const std::vector<double>& given) {
  if (given.empty()) return {};
  if (given.size() == 1) return given.front();
  return Config::List(given.begin(), given.end());
}

void read_member(const Config& member, ThresholdList& list) {
  if (member.is_list()) return read_member(member, list.values);
  list.values = {member.as_double()};
}

}  // namespace tandem
