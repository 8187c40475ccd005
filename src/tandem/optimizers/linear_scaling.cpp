#include "tandem/optimizers/linear_scaling.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/core/log.h"

namespace tandem::optimizers {

double linearly_scaled(double rate, int64_t times) {
  if (!(rate > 0) || times < 1) {
    throw InvalidArgument(
        c10::str("linearly_scaled: rate must be positive and times at least 1, got ", rate, " and ", times));
  }
  const double scaled = rate * static_cast<double>(times);
  log_info(c10::str("learning rate ", rate, " x ", times, " = ", scaled, " (linear scaling)"));
  return scaled;
}

}  // namespace tandem::optimizers
