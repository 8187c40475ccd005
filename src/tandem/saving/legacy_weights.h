#pragma once
#include "tandem/network/network.h"
#include "tandem/saving/h5_file.h"
#include "tandem/saving/load_report.h"

namespace tandem::saving {

/// Weights in the layout that Keras 2's save_weights("x.h5") had: a group for each of the network's layers, a nested
/// model being one, with data sets such as "conv/kernel:0" in the order of the attribute weight_names
/// (keras/src/legacy/saving/legacy_h5_format.py). As in Keras a layer's trained weights come before its others, so that
/// within a nested model the order depends on what is frozen: freeze alike before writing and reading.
void write_legacy_weights(const Network& network, const H5Group& root);

/// The same as Keras 3 writes it into the group "model_weights" of a whole model's .h5: names such as "conv/kernel".
void write_legacy_model_weights(const Network& network, const H5Group& group);

/// True when the group is in that layout.
bool has_legacy_weights(const H5Group& group);

/// Assigns what is in such a group: layers with weights one after the other, or, by_name, those that have a namesake.
/// By name a layer that only one side has is no error but goes into the report. Throws DataError naming file, layer,
/// weight and shapes when something does not fit (by order skip_mismatch passes over shapes only, as in Keras; by name
/// over numbers of weights too), when nothing fits, and when the file is damaged; nothing is changed then.
LoadReport read_legacy_weights(const Network& network, const H5Group& group, const LoadWeightsOptions& options);

}  // namespace tandem::saving
