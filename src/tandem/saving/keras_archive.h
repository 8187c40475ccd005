#pragma once
#include <string>

#include "tandem/core/config.h"

namespace tandem::saving {

/// What a .keras file holds.
struct KerasArchive {
  Config config;        // of the whole model, with compile_config where it was compiled
  Config metadata;      // keras_version, date_saved; null when missing
  std::string weights;  // the bytes of model.weights.h5
};

/// Reads a .keras file, stored or deflated, zip64 too. Nothing is unpacked to the disk. Throws DataError naming the
/// file and the member when it is missing, damaged, or unpacks to far more than the file's size.
KerasArchive read_keras_archive(const std::string& path);

}  // namespace tandem::saving
