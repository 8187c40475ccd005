#include <c10/util/StringUtil.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string>

#include "tandem/core/error.h"
#include "tandem/distribution/strategy.h"

namespace tandem::distribute {

int64_t threads_per_device(int64_t devices, int64_t asked) {
  if (asked < 0)
    throw InvalidArgument(c10::str("threads_per_device: must be positive, or 0 to divide the cores, got ", asked));
  if (asked > 0) return asked;
  if (const char* text = std::getenv("TANDEM_THREADS_PER_DEVICE")) {
    const std::string value = text;
    int64_t threads = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), threads);
    if (error != std::errc() || end != value.data() + value.size() || threads < 1) {
      throw InvalidArgument(c10::str("TANDEM_THREADS_PER_DEVICE: must be a positive whole number, got '", value, "'"));
    }
    return threads;
  }
  return std::max<int64_t>(1, available_cores() / devices);
}

}  // namespace tandem::distribute
