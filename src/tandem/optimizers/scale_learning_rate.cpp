#include "tandem/optimizers/scale_learning_rate.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/core/log.h"

namespace tandem::optimizers {

double scale_learning_rate(double rate, int64_t devices) {
  if (devices < 1) throw InvalidArgument(c10::str("scale_learning_rate: devices must be at least 1, got ", devices));
  const double scaled = rate * static_cast<double>(devices);
  log_info(
      c10::str("learning rate ", rate, " scaled to ", scaled, " for ", devices, devices == 1 ? " device" : " devices"));
  return scaled;
}

}  // namespace tandem::optimizers
