#pragma once
#include <memory>
#include <string>

#include "tandem/distribution/tensor_execution.h"

namespace tandem::distribute {

/// What can be said of a network before it is bound. Throws InvalidArgument in the name of `who`, a strategy.
void check_splittable(const std::string& who, const Network& network);

/// The program on data x tensor devices. Throws InvalidArgument in the name of `who` where the model is no graph, no
/// layer can be split, or the optimizer needs weights whole that are split.
std::unique_ptr<Execution> bind_tensor(const std::string& who, const Program& program, const TensorSettings& settings);

/// `devices` as they are to be: there, CPUs, `count` of them. Throws InvalidArgument in the name of `who`.
void check_tensor_devices(const std::string& who, const Devices& devices, int64_t count);

}  // namespace tandem::distribute
