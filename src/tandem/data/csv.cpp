#include "tandem/data/csv.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "tandem/core/error.h"
#include "tandem/data/csv_reader.h"
#include "tandem/data/from_span.h"

namespace tandem::datasets {
namespace {

std::optional<float> parse_float(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  float value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<int64_t> parse_whole(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Gathers the lines of a table.
class CsvTable {
 public:
  explicit CsvTable(const CsvOptions& options) : options_(options) {}

  void take(const data::CsvLine& line) {
    if (columns_ == 0) {
      columns_ = static_cast<int64_t>(line.fields.size());
      if (is_header(line)) names_ = line.fields;
      find_label();
      if (!names_.empty()) return;
    }
    if (static_cast<int64_t>(line.fields.size()) != columns_) {
      throw DataError(c10::str(options_.path, ", line ", line.number, ": must have ", columns_, " columns, has ",
                               line.fields.size()));
    }
    for (int64_t column = 0; column < columns_; ++column) {
      const auto& field = line.fields[static_cast<std::size_t>(column)];
      if (field.empty()) fail(line, column, "a value is missing");
      if (column == label_) {
        labels_.push_back(field);
        label_lines_.push_back(line.number);
      } else if (const auto value = parse_float(field)) {
        values_.push_back(*value);
      } else {
        fail(line, column, "must be a finite number, got '" + field + "'");
      }
    }
    ++rows_;
  }

  data::LabelledDataset finish() {
    if (rows_ == 0) throw DataError(options_.path + ": must have a line of values, it has none");
    const Tensor x = data::from_vector(std::move(values_), {columns_ - (label_ >= 0 ? 1 : 0)});
    if (label_ < 0) return {data::TensorDataset(x), {}};
    auto [y, names] = labels_are_numbers() ? numbers() : classes();
    return {data::TensorDataset(x, y), names};
  }

 private:
  bool is_header(const data::CsvLine& line) const {
    if (options_.header != "auto") return options_.header == "yes";
    return std::none_of(line.fields.begin(), line.fields.end(), [](const auto& field) { return parse_float(field); });
  }

  // A column's place and name for a message.
  std::string column_name(int64_t column) const {
    const auto number = c10::str("column ", column + 1);
    return names_.empty() ? number : c10::str(number, " (", names_[static_cast<std::size_t>(column)], ")");
  }
  [[noreturn]] void fail(const data::CsvLine& line, int64_t column, const std::string& problem) const {
    throw DataError(c10::str(options_.path, ", line ", line.number, ", ", column_name(column), ": ", problem));
  }

  void find_label() {
    if (options_.label_mode == "none") return;
    if (!options_.label.empty()) {
      const auto name = std::find(names_.begin(), names_.end(), options_.label);
      if (names_.empty())
        throw DataError(c10::str(options_.path, ": has no header to find the label '", options_.label, "' in"));
      if (name == names_.end()) throw_unknown_name(c10::str(options_.path, ": column"), options_.label, names_);
      label_ = name - names_.begin();
    } else {
      label_ = options_.label_column < 0 ? options_.label_column + columns_ : options_.label_column;
      if (label_ < 0 || label_ >= columns_) {
        throw DataError(c10::str(options_.path, ": label_column ", options_.label_column, " is not one of its ",
                                 columns_, " columns"));
      }
    }
    if (columns_ < 2) throw DataError(c10::str(options_.path, ": must have a column besides the label, has none"));
  }

  // "auto": all labels are numbers, and one of them is no whole number.
  bool labels_are_numbers() const {
    if (options_.label_mode != "auto") return options_.label_mode == "number";
    return std::all_of(labels_.begin(), labels_.end(), [](const auto& label) { return parse_float(label); }) &&
           !std::all_of(labels_.begin(), labels_.end(), [](const auto& label) { return parse_whole(label); });
  }

  using Targets = std::pair<Tensor, std::vector<std::string>>;

  Targets numbers() const {
    Tensor y = at::empty({rows_}, at::kFloat);
    for (std::size_t row = 0; row < labels_.size(); ++row) {
      const auto value = parse_float(labels_[row]);
      if (!value) fail({{}, label_lines_[row]}, label_, "must be a finite number, got '" + labels_[row] + "'");
      y.mutable_data_ptr<float>()[row] = *value;
    }
    return {y, {}};
  }

  Targets classes() const {
    std::vector<std::string> names = labels_;
    const bool whole = std::all_of(names.begin(), names.end(), [](const auto& name) { return parse_whole(name); });
    std::sort(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
      return whole ? *parse_whole(a) < *parse_whole(b) : a < b;
    });
    names.erase(std::unique(names.begin(), names.end()), names.end());
    std::map<std::string, int64_t> ids;
    for (const auto& name : names) ids.emplace(name, static_cast<int64_t>(ids.size()));
    std::vector<int64_t> y;
    for (const auto& label : labels_) y.push_back(ids.at(label));
    return {at::tensor(y), names};
  }

  const CsvOptions& options_;
  int64_t columns_ = 0, rows_ = 0, label_ = -1;  // label_ -1: none
  std::vector<std::string> names_, labels_;
  std::vector<int64_t> label_lines_;
  std::vector<float> values_;  // row by row, without the label
};

}  // namespace

data::LabelledDataset csv(const CsvOptions& options) {
  if (options.delimiter.size() != 1)
    throw InvalidArgument(c10::str("csv: the delimiter must be one character, got '", options.delimiter, "'"));
  const auto one_of = [](const char* what, const std::string& value, const std::vector<std::string>& known) {
    if (std::find(known.begin(), known.end(), value) == known.end()) throw_unknown_name(what, value, known);
  };
  one_of("csv: header", options.header, {"auto", "yes", "no"});
  one_of("csv: label_mode", options.label_mode, {"auto", "class", "number", "none"});
  CsvTable table(options);
  data::read_csv(options.path, options.delimiter.front(), [&](const data::CsvLine& line) { table.take(line); });
  return table.finish();
}

}  // namespace tandem::datasets
