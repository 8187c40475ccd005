#pragma once
#include "tandem/model/parity_case_test.h"

namespace tandem::parity {

/// The task with its layers divided over two devices, and by two replicas of two devices each, equals `one`, which is
/// one device's, to 1e-5. What cannot be divided must be refused, in the words of tensor_parity_test.cpp's list and for
/// its reasons alone.
void expect_tensor_parity(const Task& task, const Result& one);

}  // namespace tandem::parity
