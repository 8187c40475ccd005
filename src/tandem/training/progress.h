#pragma once
#include <cstdint>

#include "tandem/report/progress_bar.h"

namespace tandem {

/// The bar that fit, evaluate and predict draw on standard output; in place where that is a terminal.
report::ProgressOptions progress_options(int64_t total_steps, int64_t verbose, bool steps_vary = false);

}  // namespace tandem
