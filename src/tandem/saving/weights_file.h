#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "tandem/network/network.h"
#include "tandem/saving/h5_file.h"
#include "tandem/saving/load_report.h"

namespace tandem::saving {

/// Writes the network's weights: Keras 3's layout where `path` ends in .weights.h5, the legacy one of Keras 2 for
/// another .h5 or .hdf5, a safetensors file where it ends in .safetensors. The same weights make the same bytes; a file
/// at `path` is replaced in one step (core/atomic_file.h). Throws InvalidArgument for another ending and for a network
/// that is not built, DataError when it cannot be written. `add` writes what belongs to the model besides, into the
/// root of a file in Keras 3's layout.
void save_weights(const Network& network, const std::string& path,
                  const std::function<void(const H5Group& root)>& add = {});

/// The HDF5 file that a weights file or the whole model of a legacy .h5 is, or that a .keras archive holds: the content
/// decides, not the ending. Throws DataError.
H5File open_weights(const std::string& path);

/// Loads weights into the network's masters from a weights file in any of these layouts, the weights of a whole model
/// in a legacy .h5, or those of a .keras archive: the content decides, not the ending. What was not loaded is in the
/// report and in a warning. Throws InvalidArgument for a network that is not built, for by_name where the file is in
/// Keras 3's layout, and for rename where it is no safetensors file; DataError, naming the file and the path in it, for
/// what is missing, damaged or does not fit. Nothing is changed then.
LoadReport load_weights(Network& network, const std::string& path, const LoadWeightsOptions& options = {});

/// As above from the bytes of an HDF5 file, KerasArchive::weights for example; messages call it `name`.
LoadReport load_weights_image(Network& network, std::string_view image, const std::string& name,
                              const LoadWeightsOptions& options = {});

}  // namespace tandem::saving
