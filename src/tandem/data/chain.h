#pragma once
#include <span>
#include <vector>

#include "tandem/core/random.h"
#include "tandem/data/batch.h"
#include "tandem/data/transform.h"

namespace tandem::data {

/// Applies `transforms` one after the other. Transform i draws from the streams rows[j].fold(i). What can run as one
/// pass does: a random shift followed by a random flip moves each pixel once, with the numbers that the two would draw
/// apart.
Batch apply_chain(const std::vector<TransformHandle>& transforms, Batch batch, std::span<const RandomStream> rows);

}  // namespace tandem::data
