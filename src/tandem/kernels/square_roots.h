#pragma once
#include <ATen/cpu/vec/intrinsics.h>

#include <cmath>
#include <cstdint>

namespace tandem::kernels {

/// x[i] = sqrt(x[i]) for i < n, several at a time. A loop over std::sqrt goes one by one, since each may set errno.
inline void square_roots(float* x, int64_t n) {
  int64_t i = 0;
#if defined(__SSE2__)
  for (; i + 4 <= n; i += 4) _mm_storeu_ps(x + i, _mm_sqrt_ps(_mm_loadu_ps(x + i)));
#endif
  for (; i < n; ++i) x[i] = std::sqrt(x[i]);
}

inline void square_roots(double* x, int64_t n) {
  int64_t i = 0;
#if defined(__SSE2__)
  for (; i + 2 <= n; i += 2) _mm_storeu_pd(x + i, _mm_sqrt_pd(_mm_loadu_pd(x + i)));
#endif
  for (; i < n; ++i) x[i] = std::sqrt(x[i]);
}

}  // namespace tandem::kernels
