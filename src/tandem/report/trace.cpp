#include "tandem/report/trace.h"

#include <algorithm>
#include <cstdio>

#include "tandem/core/atomic_file.h"
#include "tandem/core/config.h"
#include "tandem/core/utf8.h"

namespace tandem::report {
namespace {

std::string quoted_text(const std::string& text) { return Config(encode_utf8(decode_utf8(text))).to_json(); }

std::string microseconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", seconds * 1e6);
  return text;
}

}  // namespace

std::string trace_json(const std::vector<TraceSpan>& spans) {
  std::vector<std::string> devices;  // in the order of their rows
  double first = spans.empty() ? 0 : spans.front().start;
  for (const auto& span : spans) {
    if (std::find(devices.begin(), devices.end(), span.device) == devices.end()) devices.push_back(span.device);
    first = std::min(first, span.start);
  }
  std::string out = "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [";
  std::string separator = "\n";
  for (std::size_t row = 0; row < devices.size(); ++row) {
    out += separator + "{\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": 1, \"tid\": " + std::to_string(row) +
           ", \"args\": {\"name\": " + quoted_text(devices[row]) + "}}";
    separator = ",\n";
  }
  for (const auto& span : spans) {
    const auto row = std::find(devices.begin(), devices.end(), span.device) - devices.begin();
    const std::string direction = span.backward ? "\"backward\"" : "\"forward\"";
    out += separator + "{\"ph\": \"X\", \"name\": " + quoted_text(span.layer) + ", \"cat\": " + direction +
           ", \"pid\": 1, \"tid\": " + std::to_string(row) + ", \"ts\": " + microseconds(span.start - first) +
           ", \"dur\": " + microseconds(span.end - span.start) + ", \"args\": {\"direction\": " + direction + "}}";
    separator = ",\n";
  }
  return out + "\n]}\n";
}

void write_trace(const std::vector<TraceSpan>& spans, const std::string& path) {
  write_file_atomically(path, trace_json(spans));
}

}  // namespace tandem::report
