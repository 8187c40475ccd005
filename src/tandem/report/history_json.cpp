#include "tandem/report/history_json.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tandem/core/atomic_file.h"
#include "tandem/report/number_text.h"

namespace tandem::report {
namespace {

std::string json_number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  auto text = shortest_text(value);
  // A reader that tells whole numbers from reals must see a real.
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string json_string(const std::string& text) {
  using nlohmann::json;
  return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

}  // namespace

std::string history_json(const Series& history) {
  std::string out = "{";
  for (const auto& [name, values] : history) {
    out += out.size() == 1 ? "\n  " : ",\n  ";
    out += json_string(name) + ": [";
    for (std::size_t i = 0; i < values.size(); ++i) out += (i ? ", " : "") + json_number(values[i]);
    out += "]";
  }
  return out + (history.empty() ? "}\n" : "\n}\n");
}

std::string history_csv(const Series& history) {
  std::string out = "epoch";
  std::size_t epochs = 0;
  for (const auto& [name, values] : history) {
    out += "," + csv_field(name);
    epochs = std::max(epochs, values.size());
  }
  out += "\n";
  for (std::size_t epoch = 0; epoch < epochs; ++epoch) {
    out += std::to_string(epoch);
    for (const auto& column : history) {
      const auto& values = column.second;
      out += ",";
      if (epoch < values.size()) out += shortest_text(values[epoch]);
    }
    out += "\n";
  }
  return out;
}

void write_history(const Series& history, const std::string& path) {
  write_file_atomically(path, path.ends_with(".csv") ? history_csv(history) : history_json(history));
}

}  // namespace tandem::report
