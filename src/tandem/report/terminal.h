#pragma once
#include <cstdint>
#include <iosfwd>

namespace tandem::report {

/// True where `out` is std::cout, std::cerr or std::clog, its file is a terminal, and that terminal understands control
/// codes (TERM is not "dumb").
bool is_terminal(const std::ostream& out);

/// Columns of the terminal: the variable COLUMNS where it holds a positive number, else what the terminal says, else
/// `fallback`: the order of Python's shutil.get_terminal_size, by which Keras sizes a summary.
int64_t terminal_columns(int64_t fallback = 80);

}  // namespace tandem::report
