#include "tandem/training/progress.h"

#include <iostream>

#include "tandem/report/terminal.h"

namespace tandem {

report::ProgressOptions progress_options(int64_t total_steps, int64_t verbose, bool steps_vary) {
  report::ProgressOptions options;
  options.total_steps = total_steps;
  options.steps_vary = steps_vary;
  options.verbose = static_cast<int>(verbose);
  options.terminal = report::is_terminal(std::cout);
  return options;
}

}  // namespace tandem
