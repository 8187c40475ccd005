#include "tandem/core/log.h"

#include <cstdio>
#include <mutex>
#include <utility>

namespace tandem {
namespace {

// One fputs a line: stdio locks its stream for each call, so lines of several threads do not mix.
void write_to_terminal(LogLevel level, const std::string& line) {
  const bool info = level == LogLevel::info;
  std::FILE* stream = info ? stdout : stderr;
  std::fputs(((info ? "[INFO] " : "[WARNING] ") + line + "\n").c_str(), stream);
  std::fflush(stream);
}

struct Sink {
  std::mutex mutex;
  LogSink sink = write_to_terminal;
};

// Never destroyed: threads that end after main may still have a line to say.
Sink& current_sink() {
  static Sink& sink = *new Sink;
  return sink;
}

}  // namespace

void log_line(LogLevel level, const std::string& line) {
  // Copied out, so that a sink may log or set another sink itself, and a slow one holds up nobody else.
  LogSink sink;
  {
    const std::lock_guard lock(current_sink().mutex);
    sink = current_sink().sink;
  }
  if (sink) sink(level, line);
}

LogSink set_log_sink(LogSink sink) {
  const std::lock_guard lock(current_sink().mutex);
  return std::exchange(current_sink().sink, std::move(sink));
}

}  // namespace tandem
