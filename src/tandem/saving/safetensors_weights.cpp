#include "tandem/saving/safetensors_weights.h"

#include <c10/util/StringUtil.h>

#include "tandem/saving/named_weights.h"
#include "tandem/saving/safetensors.h"
#include "tandem/saving/weight_paths.h"

namespace tandem::saving {

void write_safetensors_weights(const Network& network, const std::string& path) {
  NamedTensors tensors;
  for (const auto& [name, weight] : weight_paths(network)) tensors.emplace_back(name, weight.variable().value);
  save_safetensors(tensors, path);
}

LoadReport read_safetensors_weights(const Network& network, const std::string& path,
                                    const LoadWeightsOptions& options) {
  SafetensorsFile file(path);
  return load_named_weights(weight_paths(network), file, options, c10::str("model '", network.name(), "'"));
}

}  // namespace tandem::saving
