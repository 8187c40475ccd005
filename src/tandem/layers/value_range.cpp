#include "tandem/layers/value_range.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"

namespace tandem {

void check_value_range(const std::string& layer, const std::array<double, 2>& range) {
  if (range[0] < range[1]) return;
  throw InvalidArgument(
      c10::str(layer, ": value_range must be two numbers, the smaller first, got ", range[0], " and ", range[1]));
}

std::array<double, 2> value_range_from(const Config& config) {
  const Config value = config.get("value_range", {});
  if (value.is_null()) return {0, 255};
  if (value.as_list().size() != 2) throw DataError("config: value_range must be two numbers, got " + value.shown());
  return {value.as_list()[0].as_double(), value.as_list()[1].as_double()};
}

}  // namespace tandem
