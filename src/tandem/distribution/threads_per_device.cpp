#include <c10/util/StringUtil.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string>

#include "tandem/core/error.h"
#include "tandem/distribution/strategy.h"

namespace tandem::distribute {

constexpr int64_t kMostThreads = 1024;  // OpenMP takes memory for each before the first computes

int64_t threads_per_device(int64_t devices, int64_t asked) {
  if (asked < 0)
    throw InvalidArgument(c10::str("threads_per_device: must be positive, or 0 to divide the cores, got ", asked));
  if (asked > kMostThreads) {
    throw InvalidArgument(
        c10::str("threads_per_device: must be at most ", kMostThreads, ", far above any machine, got ", asked));
  }
  if (asked > 0) return asked;
  if (const char* text = std::getenv("TANDEM_THREADS_PER_DEVICE")) {
    const std::string value = text;
    int64_t threads = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), threads);
    if (error != std::errc() || end != value.data() + value.size() || threads < 1 || threads > kMostThreads) {
      throw InvalidArgument(c10::str("TANDEM_THREADS_PER_DEVICE: must be a whole number from 1 to ", kMostThreads,
                                     ", got '", value, "'"));
    }
    return threads;
  }
  return std::max<int64_t>(1, available_cores() / devices);
}

}  // namespace tandem::distribute
