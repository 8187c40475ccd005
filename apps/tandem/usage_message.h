#pragma once
#include <CLI/App.hpp>
#include <string>

namespace tandem::cli {

/// One line on arguments that CLI11 could not take; an unknown option or command proposes the nearest known one.
std::string usage_message(const CLI::App& app, const CLI::ParseError& error);

}  // namespace tandem::cli
