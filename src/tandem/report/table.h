#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::report {

enum class Align { left, center, right };

/// `width` in terminal cells, without the blank on each side.
struct Column {
  std::string header;
  Align align = Align::left;
  int64_t width = 0;
};

struct TableOptions {
  /// Cells of every line, borders included; 0: as wide as the columns ask for. Where the columns do not fit, each gives
  /// up about the same, and where they leave room they share it in proportion, as the library does that Keras draws
  /// with.
  int64_t line_length = 0;
};

/// Widths of columns that end at `positions` (fractions of the line, ascending), as Keras's summary counts them.
/// Throws InvalidArgument where a column would be narrower than 4 cells.
std::vector<int64_t> column_widths(const std::vector<double>& positions, int64_t line_length);

/// A table in box-drawing characters with a heavy head and a rule between rows, preceded by the line `title` unless
/// that is empty; each line ends in a newline. A cell that does not fit goes on in the next line at a blank; a word
/// wider than its column is cut with an ellipsis. Rows may be shorter than `columns`. Throws InvalidArgument for no
/// columns, a longer row, or a line too short for the borders and one cell a column.
std::string draw_table(std::string_view title, const std::vector<Column>& columns,
                       const std::vector<std::vector<std::string>>& rows, TableOptions options = {});

}  // namespace tandem::report
