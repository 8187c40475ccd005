#include "tandem/report/table.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tandem/core/error.h"
#include "tandem/report/text_width.h"

namespace tandem::report {
namespace {

constexpr int64_t kPadding = 2;  // one blank on each side of a cell

struct Rule {
  const char *left, *fill, *cross, *right;
};
constexpr Rule kTop = {"┏", "━", "┳", "┓"};
constexpr Rule kUnderHead = {"┡", "━", "╇", "┩"};
constexpr Rule kBetween = {"├", "─", "┼", "┤"};
constexpr Rule kBottom = {"└", "─", "┴", "┘"};

// Takes `excess` cells away: every column gives its share of what is left to take, halves rounded to even.
void narrow(std::vector<int64_t>& widths, int64_t excess) {
  auto columns_left = static_cast<int64_t>(widths.size());
  for (auto& width : widths) {
    const auto share =
        static_cast<int64_t>(std::nearbyint(static_cast<double>(excess) / static_cast<double>(columns_left--)));
    const auto taken = std::min(width, share);
    width -= taken;
    excess -= taken;
  }
}

// Hands `room` cells out in proportion to the widths, each share rounded up.
void widen(std::vector<int64_t>& widths, int64_t room) {
  auto total = std::accumulate(widths.begin(), widths.end(), int64_t{0});
  for (auto& width : widths) {
    const auto share = (width * room + total - 1) / total;
    total -= width;
    room -= share;
    width += share;
  }
}

// Cells between the borders, blanks included.
std::vector<int64_t> inner_widths(const std::vector<Column>& columns, int64_t line_length) {
  std::vector<int64_t> widths;
  for (const auto& column : columns) widths.push_back(std::max<int64_t>(column.width, 0) + kPadding);
  if (line_length == 0) return widths;
  const auto borders = static_cast<int64_t>(columns.size()) + 1;
  const auto room = line_length - borders - std::accumulate(widths.begin(), widths.end(), int64_t{0});
  if (room < 0) narrow(widths, -room);
  if (room > 0) widen(widths, room);
  return widths;
}

std::string rule(const Rule& parts, const std::vector<int64_t>& widths) {
  std::string line = parts.left;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    if (i > 0) line += parts.cross;
    for (int64_t k = 0; k < widths[i]; ++k) line += parts.fill;
  }
  return line + parts.right + "\n";
}

std::string blanks(int64_t count) { return std::string(static_cast<std::size_t>(std::max<int64_t>(count, 0)), ' '); }

// Breaks one line of text into lines of at most `width` cells, at blanks. Blanks at the start belong to the first word.
std::vector<std::string> wrap(std::string_view text, int64_t width) {
  std::vector<std::string> lines;
  std::string line;
  int64_t used = 0;  // cells of `line` with the blanks after its last word
  for (std::size_t at = 0; at < text.size();) {
    const auto begin = text.find_first_not_of(' ', at);
    if (begin == std::string_view::npos) break;
    const auto end = std::min(text.find(' ', begin), text.size());
    const auto word = text.substr(at, end - at);
    const auto next = std::min(text.find_first_not_of(' ', end), text.size());
    const auto cells = text_width(word);
    if (used > 0 && used + cells > width) {
      lines.push_back(std::move(line));
      line.clear();
      used = 0;
    }
    line.append(text.substr(at, next - at));
    used += cells + static_cast<int64_t>(next - end);
    at = next;
  }
  lines.push_back(std::move(line));
  for (auto& wrapped : lines) {
    wrapped.erase(std::min(wrapped.find_last_not_of(' ') + 1, wrapped.size()));
    wrapped = shorten(wrapped, width);
  }
  return lines;
}

std::vector<std::string> cell_lines(std::string_view text, int64_t width) {
  std::vector<std::string> lines;
  for (;;) {
    const auto end = text.find('\n');
    for (auto& line : wrap(text.substr(0, end), width)) lines.push_back(std::move(line));
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(end + 1);
  }
}

std::string aligned(const std::string& text, Align align, int64_t width) {
  const auto room = width - text_width(text);
  const auto left = align == Align::left ? 0 : align == Align::right ? room : room / 2;
  return blanks(left) + text + blanks(room - left);
}

// The lines of one row; `border` stands between cells. The head's cells stand at the bottom, the others' at the top.
std::string draw_row(const std::vector<std::string>& cells, const std::vector<Column>& columns,
                     const std::vector<int64_t>& widths, const char* border, bool is_head) {
  std::vector<std::vector<std::string>> lines(columns.size());
  std::size_t height = 1;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i < cells.size()) lines[i] = cell_lines(cells[i], widths[i] - kPadding);
    height = std::max(height, lines[i].size());
  }
  std::string out;
  for (std::size_t y = 0; y < height; ++y) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const auto skipped = is_head ? height - lines[i].size() : 0;
      const bool has_text = y >= skipped && y - skipped < lines[i].size();
      out += c10::str(border, " ",
                      aligned(has_text ? lines[i][y - skipped] : "", columns[i].align, widths[i] - kPadding), " ");
    }
    out += c10::str(border, "\n");
  }
  return out;
}

}  // namespace

std::vector<int64_t> column_widths(const std::vector<double>& positions, int64_t line_length) {
  std::vector<int64_t> widths;
  int64_t used = 0;
  for (const double position : positions) {
    const auto end = static_cast<int64_t>(position * static_cast<double>(line_length));
    widths.push_back(end - used);
    if (widths.back() < 4) {
      throw InvalidArgument(c10::str("summary: every column needs 4 cells; column ", widths.size(), " of a line of ",
                                     line_length, " cells gets ", widths.back()));
    }
    used = end;
  }
  return widths;
}

std::string draw_table(std::string_view title, const std::vector<Column>& columns,
                       const std::vector<std::vector<std::string>>& rows, TableOptions options) {
  if (columns.empty()) throw InvalidArgument("draw_table: a table needs a column");
  const auto widths = inner_widths(columns, options.line_length);
  if (*std::min_element(widths.begin(), widths.end()) <= kPadding) {
    throw InvalidArgument(
        c10::str("draw_table: ", columns.size(), " columns need a wider line than ", options.line_length, " cells"));
  }
  std::vector<std::string> heads;
  for (const auto& column : columns) heads.push_back(column.header);

  std::string out(title);
  if (!title.empty()) out += "\n";
  out += rule(kTop, widths) + draw_row(heads, columns, widths, "┃", true) + rule(kUnderHead, widths);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].size() > columns.size()) {
      throw InvalidArgument(
          c10::str("draw_table: row ", i, " has ", rows[i].size(), " cells, the table ", columns.size(), " columns"));
    }
    if (i > 0) out += rule(kBetween, widths);
    out += draw_row(rows[i], columns, widths, "│", false);
  }
  return out + rule(kBottom, widths);
}

}  // namespace tandem::report
