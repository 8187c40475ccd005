#pragma once
#include <string>

#include "tandem/kernels/fill_mode.h"

namespace tandem::data {

/// What lies beyond the edges of an image that is moved.
struct FillOptions {
  std::string fill_mode = "nearest";  // nearest, constant, reflect, wrap
  double cval = 0;                    // the value of fill_mode "constant"

  /// Throws InvalidArgument on an unknown mode.
  kernels::Fill fill() const { return {.mode = kernels::fill_mode(fill_mode), .value = static_cast<float>(cval)}; }
};

}  // namespace tandem::data
