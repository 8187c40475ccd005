#pragma once
#include "tandem/core/config.h"

namespace tandem::saving {

/// Throws DataError naming the layer's place when a layer of the model holds Python code: a Lambda, or a function
/// without a name as a setting. Code in files is never run. `entry`: a model as a file has it, {"class_name",
/// "config"}.
void refuse_code(const Config& entry);

}  // namespace tandem::saving
