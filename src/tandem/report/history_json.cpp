#include "tandem/report/history_json.h"

#include <algorithm>
#include <cmath>

#include "tandem/core/atomic_file.h"
#include "tandem/core/config.h"
#include "tandem/core/python_text.h"
#include "tandem/core/utf8.h"
#include "tandem/report/number_text.h"

namespace tandem::report {
namespace {

std::string json_number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return python_text(value);
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

}  // namespace

std::string history_json(const Series& history, bool interrupted) {
  std::string out = "{";
  const auto next_line = [&] { out += out.size() == 1 ? "\n  " : ",\n  "; };
  for (const auto& [name, values] : history) {
    next_line();
    out += Config(encode_utf8(decode_utf8(name))).to_json() + ": [";
    for (std::size_t i = 0; i < values.size(); ++i) out += (i ? ", " : "") + json_number(values[i]);
    out += "]";
  }
  if (interrupted) {
    next_line();
    out += "\"interrupted\": true";
  }
  return out + (out.size() == 1 ? "}\n" : "\n}\n");
}

std::string history_csv(const std::vector<EpochFigures>& epochs) {
  const auto columns = series_of(epochs);
  std::string out = "epoch";
  for (const auto& column : columns) out += "," + csv_field(column.first);
  out += "\n";
  for (const auto& [epoch, figures] : epochs) {
    out += std::to_string(epoch);
    for (const auto& column : columns) {
      out += ",";
      if (figures.contains(column.first)) out += shortest_text(figures.at(column.first));
    }
    out += "\n";
  }
  return out;
}

void write_history(const std::vector<EpochFigures>& epochs, const std::string& path, bool interrupted) {
  const bool csv = path.ends_with(".csv");
  write_file_atomically(path, csv ? history_csv(epochs) : history_json(series_of(epochs), interrupted));
}

Series series_of(const std::vector<EpochFigures>& epochs) {
  Series series;
  for (const auto& epoch : epochs) {
    for (const auto& [name, value] : epoch.figures) {
      auto found = std::find_if(series.begin(), series.end(), [&](const auto& column) { return column.first == name; });
      if (found == series.end()) found = series.insert(series.end(), {name, {}});
      found->second.push_back(value);
    }
  }
  return series;
}

}  // namespace tandem::report
