#pragma once
#include <cstdint>
#include <string>

#include "tandem/core/shape.h"

namespace tandem::zoo {

/// Throws InvalidArgument in the name of `model` unless images of `shape`, (height, width, channels) with sizes that
/// may be unknown, are at least `least` pixels high and wide, and there are at least two classes.
void check_images(const std::string& model, const Shape& shape, int64_t least, int64_t classes);

}  // namespace tandem::zoo
