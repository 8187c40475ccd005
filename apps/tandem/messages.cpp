#include "messages.h"

#include <iostream>

#include "tandem/core/log.h"

namespace tandem::cli {

void print_error(const std::string& message) {
  std::cout << std::flush;  // in the order in which they were said, where both go to one terminal
  std::cerr << "tandem: " + message.substr(0, message.find('\n')) + "\n";
}

void install_log_sink(bool quiet) {
  set_log_sink([quiet](LogLevel level, const std::string& line) {
    if (level == LogLevel::warning) {
      print_error("warning: " + line);
    } else if (!quiet) {
      std::cout << "[INFO] " + line + "\n" << std::flush;
    }
  });
}

}  // namespace tandem::cli
