#include "tandem/saving/weights_file.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/atomic_file.h"
#include "tandem/core/error.h"
#include "tandem/core/log.h"
#include "tandem/saving/first_bytes.h"
#include "tandem/saving/h5_file.h"
#include "tandem/saving/keras3_weights.h"
#include "tandem/saving/keras_archive.h"
#include "tandem/saving/legacy_weights.h"
#include "tandem/saving/safetensors_file.h"
#include "tandem/saving/safetensors_weights.h"

namespace tandem::saving {
namespace {

void check_built(const Network& network, const char* act) {
  if (network.built()) return;
  throw InvalidArgument(c10::str(act, ": model '", network.name(),
                                 "' must be built first: give it an input shape, or call it on a batch"));
}

LoadReport read_weights(const Network& network, const H5File& file, const LoadWeightsOptions& options) {
  const H5Group& root = file.root();
  if (!options.rename.empty())
    throw InvalidArgument(
        c10::str("load_weights: rename works with safetensors files only; ", root.where(), " is none"));
  if (has_legacy_weights(root)) return read_legacy_weights(network, root, options);
  if (root.has_group("model_weights")) return read_legacy_weights(network, root.group("model_weights"), options);
  if (!root.has_group("vars") && !root.has_group("layers")) {
    throw DataError(
        c10::str(root.where(), ": is not a weights file of Keras; at its top are: ", list_names(root.names())));
  }
  if (options.by_name) {
    throw InvalidArgument(c10::str("load_weights: by_name works with legacy .h5 files only; ", root.where(),
                                   " is in Keras 3's layout, where layers have no names"));
  }
  return read_keras3_weights(network, root, options);
}

LoadReport logged(LoadReport report, const std::string& name) {
  if (!report.complete()) log_warning(c10::str("load_weights: ", name, ": ", report.to_string()));
  return report;
}

}  // namespace

void save_weights(const Network& network, const std::string& path, const std::function<void(const H5Group&)>& add) {
  if (path.ends_with(".safetensors")) {
    check_built(network, "save_weights");
    return write_safetensors_weights(network, path);
  }
  const auto write = path.ends_with(".weights.h5")                      ? write_keras3_weights
                     : path.ends_with(".h5") || path.ends_with(".hdf5") ? write_legacy_weights
                                                                        : nullptr;
  if (!write) {
    throw InvalidArgument(
        c10::str("save_weights: the file name must end in .weights.h5 (Keras 3's layout), .safetensors, or "
                 ".h5 or .hdf5 (the legacy layout), got '",
                 path, "'"));
  }
  check_built(network, "save_weights");
  write_file_atomically(path, [&](const std::string& temporary) {
    H5File file = H5File::create(temporary, path);
    write(network, file.root());
    if (add && write == write_keras3_weights) add(file.root());
    file.close();
  });
}

H5File open_weights(const std::string& path) {
  const std::string start = first_bytes(path, "a weights file");
  if (start.starts_with("PK"))
    return H5File::open_image(read_keras_archive(path).weights, c10::str(path, ", member model.weights.h5"));
  if (start.starts_with("{")) {
    throw DataError(c10::str(path,
                             ": lists the parts of weights that were saved with max_shard_size, which cannot be "
                             "read; save them as one file"));
  }
  if (!start.starts_with("\x89HDF"))
    throw DataError(c10::str(path, ": is neither an HDF5 file nor a .keras archive nor a safetensors file"));
  return H5File::open(path);
}

LoadReport load_weights(Network& network, const std::string& path, const LoadWeightsOptions& options) {
  check_built(network, "load_weights");
  if (is_safetensors(path)) return logged(read_safetensors_weights(network, path, options), path);
  return logged(read_weights(network, open_weights(path), options), path);
}

LoadReport load_weights_image(Network& network, std::string_view image, const std::string& name,
                              const LoadWeightsOptions& options) {
  check_built(network, "load_weights");
  return logged(read_weights(network, H5File::open_image(image, name), options), name);
}

}  // namespace tandem::saving
