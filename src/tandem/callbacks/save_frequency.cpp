#include "tandem/callbacks/save_frequency.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"

namespace tandem::callbacks {

SaveFrequency::SaveFrequency(const std::string& epoch) {
  if (epoch != "epoch")
    throw InvalidArgument(c10::str("save_freq must be \"epoch\" or a number of batches, got '", epoch, "'"));
}

int64_t SaveFrequency::checked(int64_t batches) {
  if (batches < 1) throw InvalidArgument(c10::str("save_freq must be at least 1 batch, got ", batches));
  return batches;
}

SaveFrequency SaveFrequency::from_config(const Config& config) {
  const Config frequency = config.get("save_freq", "epoch");
  if (frequency.is_int()) return frequency.as_int();
  return frequency.is_null() ? SaveFrequency("epoch") : SaveFrequency(frequency.as_string());
}

}  // namespace tandem::callbacks
