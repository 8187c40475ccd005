#pragma once
#include "tandem/core/config.h"

namespace tandem {

/// Keras writes the operations that compute masks as if they were layers, and their results as arguments "mask" of
/// calls. Here layers find the masks of their inputs themselves (core/mask.h): returns the config of a functional model
/// without those operations that say again what its Embedding (mask_zero) and Masking layers say, and without the
/// arguments that name them. Others stay, masks of a program's own among them.
Config without_mask_operations(const Config& graph);

}  // namespace tandem
