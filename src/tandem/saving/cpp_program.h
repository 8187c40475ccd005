#pragma once
#include <string>
#include <vector>

#include "tandem/network/network.h"

namespace tandem::saving {

/// The text of a C++ program that builds `network` with Tandem's API: the same layers under the same names, shared and
/// nested as they are, with the same settings; it shows the summary, loads weights from the file that its first
/// argument names and, with .npy files for the inputs and the outputs, writes what the model predicts. `remarks` are
/// lines of comment for its head. Throws InvalidArgument naming what cannot be written as C++: layers and models of a
/// program's own, callables, layers that two models share, device scopes.
std::string cpp_program(const Network& network, const std::vector<std::string>& remarks = {});

}  // namespace tandem::saving
