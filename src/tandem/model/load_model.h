#pragma once
#include <string>

#include "tandem/model/model.h"

namespace tandem {

struct LoadModelOptions {
  bool compile = true;                 // as the file says, where it says so
  distribute::Strategy strategy = {};  // where it runs, also before it is compiled; empty: one device
};

/// A whole model from a file: a .keras archive or a legacy .h5, told by their content, as keras.models.load_model.
/// Layers of the program's own must have been named by register_layer. Training goes on from the optimizer's state in
/// the file; that of Keras 2 is not read, and a warning says so where training had begun. Throws DataError
/// naming the file and the place in it when it is missing, damaged, or holds weights only; also when its compile
/// settings cannot be kept, which `.compile = false` leaves out.
Model load_model(const std::string& path, const LoadModelOptions& options = {});

}  // namespace tandem
