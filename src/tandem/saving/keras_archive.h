#pragma once
#include <string>

#include "tandem/core/config.h"

namespace tandem::saving {

/// What a .keras file holds.
struct KerasArchive {
  Config config;        // of the whole model, with compile_config where it was compiled
  Config metadata;      // keras_version, date_saved; null when missing
  std::string weights;  // the bytes of model.weights.h5
  /// Tandem's own member tandem_preprocessing.h5 (saving/state_group.h), which Keras passes over; empty without one.
  std::string preprocessing;
};

/// Reads a .keras file, stored or deflated, zip64 too. Nothing is unpacked to the disk. Throws DataError naming the
/// file and the member when it is missing, damaged, or unpacks to far more than the file's size.
KerasArchive read_keras_archive(const std::string& path);

/// Writes one as Keras 3.15 does, its members stored; `metadata` is given by this function: Keras reads none of it, and
/// the date is always the same. The same archive makes the same bytes; a file at `path` is replaced in one step. Throws
/// DataError when it cannot be written.
void write_keras_archive(const KerasArchive& archive, const std::string& path);

}  // namespace tandem::saving
