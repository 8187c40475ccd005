#include "tandem/testing/captured_log.h"

namespace tandem::testing {

CapturedLog::CapturedLog() {
  before_ = set_log_sink([this](LogLevel level, const std::string& line) {
    std::lock_guard lock(mutex_);
    lines_.emplace_back(level, line);
  });
}

CapturedLog::~CapturedLog() { set_log_sink(before_); }

std::vector<std::string> CapturedLog::lines(LogLevel level) const {
  std::lock_guard lock(mutex_);
  std::vector<std::string> found;
  for (const auto& [kind, line] : lines_) {
    if (kind == level) found.push_back(line);
  }
  return found;
}

}  // namespace tandem::testing
