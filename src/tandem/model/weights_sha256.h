#pragma once
#include <string>

#include "tandem/model/model.h"

namespace tandem {

/// SHA-256, in lower-case hexadecimal, of all weights in Keras's order, each row-major as float32 in the machine's byte
/// order: equal for two models exactly when their weights are the same bits. Throws InvalidArgument in a build without
/// OpenSSL.
std::string weights_sha256(const Model& model);

}  // namespace tandem
