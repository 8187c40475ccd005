#include "tandem/kernels/gru_step.h"

#include <ATen/Parallel.h>

#include <algorithm>

#include "tandem/kernels/gate_functions.h"
#include "tandem/kernels/recurrent_grain.h"
#include "tandem/kernels/widest_vectors.h"

namespace tandem::kernels {
namespace {

inline void gru_row(float* __restrict z, float* __restrict r, float* __restrict g, const float* __restrict inner,
                    const float* __restrict h_before, float* __restrict inner_h, float* __restrict h, int64_t units) {
  const float *inner_r = inner + units, *inner_g = inner + 2 * units;
  for (int64_t u = 0; u < units; ++u) {
    const float update = gate_sigmoid(z[u] + inner[u]), reset = gate_sigmoid(r[u] + inner_r[u]);
    const float fresh = gate_tanh(g[u] + reset * inner_g[u]);
    z[u] = update;
    r[u] = reset;
    g[u] = fresh;
    inner_h[u] = inner_g[u];
    h[u] = update * h_before[u] + (1 - update) * fresh;
  }
}

inline void gru_rows(const GruStep& s, int64_t first, int64_t end) {
  for (int64_t row = first; row < end; ++row) {
    const int64_t at = row * s.units;
    if (s.counts && !s.counts[row]) {
      std::copy_n(s.h_before + at, s.units, s.h + at);
      continue;
    }
    float* gates = s.gates + 3 * at;
    gru_row(gates, gates + s.units, gates + 2 * s.units, s.inner + 3 * at, s.h_before + at, s.inner_h + at, s.h + at,
            s.units);
  }
}

inline void gru_row_backward(const float* __restrict gates, const float* __restrict inner_h,
                             const float* __restrict h_before, float* __restrict dh, float* __restrict sums,
                             float* __restrict inner, int64_t units) {
  const float *z = gates, *r = gates + units, *g = gates + 2 * units;
  float* __restrict dr = sums + units;
  float* __restrict dg = sums + 2 * units;
  float* __restrict inner_r = inner + units;
  float* __restrict inner_g = inner + 2 * units;
  for (int64_t u = 0; u < units; ++u) {
    const float update = z[u], reset = r[u], fresh = g[u], d = dh[u];
    const float of_fresh = d * (1 - update) * (1 - fresh * fresh);
    const float of_update = d * (h_before[u] - fresh) * update * (1 - update);
    const float of_reset = of_fresh * inner_h[u] * reset * (1 - reset);
    sums[u] = of_update;
    dr[u] = of_reset;
    dg[u] = of_fresh;
    inner[u] = of_update;
    inner_r[u] = of_reset;
    inner_g[u] = of_fresh * reset;
    dh[u] = d * update;
  }
}

inline void gru_rows_backward(const GruStepBackward& s, int64_t first, int64_t end) {
  for (int64_t row = first; row < end; ++row) {
    const int64_t at = row * s.units;
    float* __restrict dh = s.dh + at;
    if (s.given) {
      const float* __restrict given = s.given + at;
      for (int64_t u = 0; u < s.units; ++u) dh[u] += given[u];
    }
    if (s.counts && !s.counts[row]) {
      std::fill_n(s.sums + 3 * at, 3 * s.units, 0.F);
      std::fill_n(s.inner + 3 * at, 3 * s.units, 0.F);
      continue;
    }
    gru_row_backward(s.gates + 3 * at, s.inner_h + at, s.h_before + at, dh, s.sums + 3 * at, s.inner + 3 * at, s.units);
  }
}

}  // namespace

void gru_step(const GruStep& step) {
  at::parallel_for(0, step.rows, recurrent_grain(step.units),
                   [&](int64_t first, int64_t end) { with_widest_vectors([&] { gru_rows(step, first, end); }); });
}

void gru_step_backward(const GruStepBackward& step) {
  at::parallel_for(0, step.rows, recurrent_grain(step.units), [&](int64_t first, int64_t end) {
    with_widest_vectors([&] { gru_rows_backward(step, first, end); });
  });
}

}  // namespace tandem::kernels
