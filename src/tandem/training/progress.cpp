#include "tandem/training/progress.h"

#include <unistd.h>

namespace tandem {

report::ProgressOptions progress_options(int64_t total_steps, int64_t verbose) {
  report::ProgressOptions options;
  options.total_steps = total_steps;
  options.verbose = static_cast<int>(verbose);
  options.terminal = isatty(STDOUT_FILENO) != 0;
  return options;
}

}  // namespace tandem
