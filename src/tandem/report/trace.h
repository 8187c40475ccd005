#pragma once
#include <string>
#include <vector>

#include "tandem/core/trace_span.h"

namespace tandem::report {

/// When layers computed on devices, in the Trace Event Format that chrome://tracing and ui.perfetto.dev open: a
/// complete event ("X") a span, in microseconds since the first, with a row ("thread") a device and the direction,
/// "forward" or "backward", as category and argument. Throws InvalidArgument in a build without nlohmann-json.
std::string trace_json(const std::vector<TraceSpan>& spans);

/// Writes trace_json to `path` in one step. Throws DataError "<path>: <reason>".
void write_trace(const std::vector<TraceSpan>& spans, const std::string& path);

}  // namespace tandem::report
