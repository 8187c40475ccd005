#pragma once
#include <functional>
#include <string>

#include "tandem/core/config.h"
#include "tandem/core/error.h"

namespace tandem::distribute {

/// The class and settings of a loss or an optimizer, to be compared; the class alone of one of the program's own that
/// cannot say them. `change`: leaves out what need not be the same.
template <class Part>
std::string describe_settings(const Part& part, const std::function<void(Config&)>& change = {}) {
  try {
    Config config = part.get_config();
    if (change) change(config);
    return part.class_name() + config.to_json();
  } catch (const Error&) {
    return part.class_name();
  }
}

}  // namespace tandem::distribute
