#pragma once
#include <functional>
#include <string>

namespace tandem {

enum class LogLevel { info, warning };

/// Receives each line that the library has to say; `line` has no newline.
using LogSink = std::function<void(LogLevel, const std::string& line)>;

/// Sends one line to the sink. The default sink writes "[INFO] ..." to stdout, "[WARNING] ..." to stderr.
void log_line(LogLevel level, const std::string& line);
inline void log_info(const std::string& line) { log_line(LogLevel::info, line); }
inline void log_warning(const std::string& line) { log_line(LogLevel::warning, line); }

/// Replaces the sink for the whole process and returns the one before; an empty sink silences the library. Thread-safe.
LogSink set_log_sink(LogSink sink);

}  // namespace tandem
