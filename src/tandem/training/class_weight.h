#pragma once
#include <cstdint>
#include <map>

#include "tandem/data/transform.h"

namespace tandem {

/// Multiplies each row's weight by that of its class, the target being a class id or one-hot. Classes that are not
/// named weigh 1, as in Keras. Throws InvalidArgument for targets of another kind.
data::TransformHandle class_weighting(const std::map<int64_t, double>& weights);

}  // namespace tandem
