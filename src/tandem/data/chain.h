#pragma once
#include <span>
#include <vector>

#include "tandem/core/random.h"
#include "tandem/data/batch.h"
#include "tandem/data/transform.h"

namespace tandem::data {

/// Applies `transforms` one after the other. Transform i draws from the streams rows[j].fold(i). Transforms next
/// to one another that move pixels (shift, rotation, zoom, shear, flip) do so in one pass, with the numbers that they
/// would draw apart, unless they fill what comes in from beyond the edges differently.
Batch apply_chain(const std::vector<TransformHandle>& transforms, Batch batch, std::span<const RandomStream> rows);

}  // namespace tandem::data
