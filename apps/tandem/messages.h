#pragma once
#include <string>

namespace tandem::cli {

/// Writes "tandem: <message>" to stderr, cut after its first line.
void print_error(const std::string& message);

/// From now on the library's warnings go to stderr as "tandem: warning: ...", and what it has to say besides to stdout
/// as "[INFO] ...", or nowhere when `quiet`.
void install_log_sink(bool quiet);

}  // namespace tandem::cli
