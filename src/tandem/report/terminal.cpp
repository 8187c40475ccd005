#include "tandem/report/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string_view>

namespace tandem::report {

bool is_terminal(const std::ostream& out) {
  const int file = &out == &std::cout ? STDOUT_FILENO : &out == &std::cerr || &out == &std::clog ? STDERR_FILENO : -1;
  if (file < 0 || ::isatty(file) == 0) return false;
  const char* term = std::getenv("TERM");
  return !term || std::string_view(term) != "dumb";
}

int64_t terminal_columns(int64_t fallback) {
  if (const char* columns = std::getenv("COLUMNS")) {
    if (const auto number = std::strtoll(columns, nullptr, 10); number > 0) return number;
  }
  for (const int file : {STDOUT_FILENO, STDERR_FILENO}) {
    winsize size{};
    if (::ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  }
  return fallback;
}

}  // namespace tandem::report
