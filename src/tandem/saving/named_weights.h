#pragma once
#include <string>
#include <vector>

#include "tandem/saving/legacy_names.h"
#include "tandem/saving/load_report.h"
#include "tandem/saving/safetensors_file.h"

namespace tandem::saving {

/// Assigns the tensors of a safetensors file to the weights of `owner` ("model 'x'") that have their names, after
/// options.rename. Names of which one is the other with more layers in front ("dense/kernel", "block/dense/kernel")
/// count as one where only one weight and one tensor can be meant. Each weight goes into the report by its name. Throws
/// DataError, naming the file, when nothing fits, when a shape or the kind of numbers differs (unless
/// options.skip_mismatch), when a name is missing or left over (unless options.skip_mismatch or options.by_name), and
/// when a value cannot be read; nothing is changed then.
LoadReport load_named_weights(const std::vector<NamedWeight>& weights, SafetensorsFile& file,
                              const LoadWeightsOptions& options, const std::string& owner);

}  // namespace tandem::saving
