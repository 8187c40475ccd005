#pragma once
#include <string>

#include "tandem/data/transform.h"

namespace tandem::cli {

/// The forms that --augment takes, for its help.
extern const char* const kAugmentForms;

/// What `--augment shift=0.1,flip` stands for: the parts in their order; "none" is an empty handle. fill=MODE holds for
/// all parts that move pixels. Throws InvalidArgument on an unknown part or a value that does not fit.
data::TransformHandle parse_augmentation(const std::string& argument);

}  // namespace tandem::cli
