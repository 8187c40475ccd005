#pragma once
#include <CLI/App.hpp>
#include <string>

namespace tandem::cli {

/// The positional MODEL, the same for every command that takes one.
void add_model(CLI::App& command, std::string& name);

/// Throws InvalidArgument unless the zoo has a model of this name, proposing the nearest. Quick: builds nothing.
void check_model(const std::string& name);

}  // namespace tandem::cli
