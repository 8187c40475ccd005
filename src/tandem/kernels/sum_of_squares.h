#pragma once
#include <cstdint>

namespace tandem::kernels {

/// The sum of x[i]^2 over i < n, on several threads where n is large. Short stretches are added up in float32, those in
/// float64, in an order that depends on n alone: the result is the same to the bit for any number of threads.
double sum_of_squares(const float* x, int64_t n);

}  // namespace tandem::kernels
