#include "tandem/data/range.h"

#include <c10/util/StringUtil.h>

#include <cmath>

#include "tandem/core/error.h"

namespace tandem::data {

void check_spread(double value, const char* where) {
  if (value >= 0 && std::isfinite(value)) return;
  throw InvalidArgument(c10::str(where, " must be a number of at least 0, got ", value));
}

void check_range(const Range& range, const char* where) {
  if (range.low >= 0 && range.low <= range.high && std::isfinite(range.high)) return;
  throw InvalidArgument(
      c10::str(where, " must be two rising numbers of at least 0, got ", range.low, " and ", range.high));
}

void check_zoom(const ZoomRange& range, const char* where) {
  if (range.low > 0 && range.low <= range.high && std::isfinite(range.high)) return;
  throw InvalidArgument(c10::str(where, " must be of rising factors above 0, got ", range.low, " to ", range.high));
}

}  // namespace tandem::data
