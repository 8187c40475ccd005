#pragma once
#include <string>

#include "tandem/network/network.h"
#include "tandem/saving/load_report.h"

namespace tandem::saving {

/// Writes the network's weights into a safetensors file under their paths (weight_paths.h), as float32 in Keras's
/// layout.
void write_safetensors_weights(const Network& network, const std::string& path);

/// Assigns the tensors that have the weights' paths, as load_named_weights: names of models may be missing in front of
/// them or be there besides, as in Keras they depend on how the model was made, and "conv.weight" of a PyTorch module
/// does for "torch_module/conv.weight". Throws as load_named_weights.
LoadReport read_safetensors_weights(const Network& network, const std::string& path, const LoadWeightsOptions& options);

}  // namespace tandem::saving
