#pragma once
#include "tandem/network/network.h"
#include "tandem/saving/h5_file.h"
#include "tandem/saving/load_report.h"

namespace tandem::saving {

/// Weights in Keras 3's layout (model.weights.h5): a group `vars` for each layer, with data sets 0, 1, ..., at paths
/// made of class names, or of attribute names in subclassed models and wrappers (keras/src/saving/saving_lib.py of
/// Keras 3.15).
void write_keras3_weights(const Network& network, const H5Group& root);

/// True when there is a weight in such a file.
bool holds_keras3_weights(const H5Group& root);

/// Assigns what is in such a file; optimizer, metrics and seed generators in it are passed over here. Throws DataError
/// naming file, path and shapes when a layer is missing, left over, or of other shapes (unless options.skip_mismatch),
/// when nothing fits, and when the file is damaged; nothing is changed then.
LoadReport read_keras3_weights(const Network& network, const H5Group& root, const LoadWeightsOptions& options);

}  // namespace tandem::saving
