#pragma once
#include <mutex>
#include <string>
#include <vector>

#include "tandem/core/log.h"

namespace tandem::testing {

/// While alive, keeps the log's lines instead of printing them.
class CapturedLog {
 public:
  CapturedLog();
  ~CapturedLog();
  CapturedLog(const CapturedLog&) = delete;
  CapturedLog& operator=(const CapturedLog&) = delete;

  std::vector<std::string> lines(LogLevel level) const;
  std::vector<std::string> warnings() const { return lines(LogLevel::warning); }
  std::vector<std::string> infos() const { return lines(LogLevel::info); }

 private:
  mutable std::mutex mutex_;
  std::vector<std::pair<LogLevel, std::string>> lines_;
  LogSink before_;
};

}  // namespace tandem::testing
