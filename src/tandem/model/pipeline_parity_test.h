#pragma once
#include "tandem/model/parity_case_test.h"

namespace tandem::parity {

/// The task in two stages, and in two replicas of two stages as threads and as four processes, equals `one`, which is
/// one device's, to 1e-5, but for batch normalisation, which goes by micro batches. What cannot be staged must be
/// refused, in the words of pipeline_parity_test.cpp's list and for its reasons alone.
void expect_pipeline_parity(const Task& task, const Result& one);

}  // namespace tandem::parity
