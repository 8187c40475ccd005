#pragma once
#include "tandem/layers/layer_handle.h"

namespace tandem {

/// A layer within another one's config, from its entry {"class_name", "config", "registered_name", ...}. Throws as
/// layer_from_config, and InvalidArgument on a model, which only network_from_config can read.
LayerHandle layer_from_entry(const Config& entry);

}  // namespace tandem
