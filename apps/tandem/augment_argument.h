#pragma once
#include <string>

#include "tandem/data/transform.h"

namespace tandem::cli {

/// What `--augment shift=0.1,flip` stands for; "none" is an empty handle. Throws InvalidArgument on an unknown part.
data::TransformHandle parse_augmentation(const std::string& argument);

}  // namespace tandem::cli
