#pragma once
#include <vector>

#include "tandem/data/batch.h"

namespace tandem::data {

/// The inputs of a batch that are images, (rows, height, width, channels), made contiguous uint8 or float32; other
/// inputs are passed over. Throws InvalidArgument, beginning with `where`, when no input is one.
std::vector<Tensor*> image_inputs(Batch& batch, const char* where);

}  // namespace tandem::data
