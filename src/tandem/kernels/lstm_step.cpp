#include "tandem/kernels/lstm_step.h"

#include <ATen/Parallel.h>

#include <algorithm>

#include "tandem/kernels/gate_functions.h"
#include "tandem/kernels/recurrent_grain.h"
#include "tandem/kernels/widest_vectors.h"

namespace tandem::kernels {
namespace {

inline void lstm_row(float* __restrict i, float* __restrict f, float* __restrict g, float* __restrict o,
                     const float* __restrict c_before, float* __restrict c, float* __restrict h, int64_t units) {
  for (int64_t u = 0; u < units; ++u) {
    const float in = gate_sigmoid(i[u]), forget = gate_sigmoid(f[u]), fresh = gate_tanh(g[u]), out = gate_sigmoid(o[u]);
    const float carry = forget * c_before[u] + in * fresh;
    i[u] = in;
    f[u] = forget;
    g[u] = fresh;
    o[u] = out;
    c[u] = carry;
    h[u] = out * gate_tanh(carry);
  }
}

inline void lstm_rows(const LstmStep& s, int64_t first, int64_t end) {
  for (int64_t r = first; r < end; ++r) {
    float* gates = s.gates + r * 4 * s.units;
    const int64_t at = r * s.units;
    if (s.counts && !s.counts[r]) {
      std::copy_n(s.c_before + at, s.units, s.c + at);
      std::copy_n(s.h_before + at, s.units, s.h + at);
      continue;
    }
    lstm_row(gates, gates + s.units, gates + 2 * s.units, gates + 3 * s.units, s.c_before + at, s.c + at, s.h + at,
             s.units);
  }
}

inline void lstm_row_backward(const float* __restrict gates, const float* __restrict c_before,
                              const float* __restrict c, const float* __restrict dh, float* __restrict dc,
                              float* __restrict di, float* __restrict df, float* __restrict dg, float* __restrict d_o,
                              int64_t units) {
  const float *i = gates, *f = gates + units, *g = gates + 2 * units, *o = gates + 3 * units;
  for (int64_t u = 0; u < units; ++u) {
    const float in = i[u], forget = f[u], fresh = g[u], out = o[u], squashed = gate_tanh(c[u]);
    const float carry = dc[u] + dh[u] * out * (1 - squashed * squashed);
    di[u] = carry * fresh * in * (1 - in);
    df[u] = carry * c_before[u] * forget * (1 - forget);
    dg[u] = carry * in * (1 - fresh * fresh);
    d_o[u] = dh[u] * squashed * out * (1 - out);
    dc[u] = carry * forget;
  }
}

inline void lstm_rows_backward(const LstmStepBackward& s, int64_t first, int64_t end) {
  for (int64_t r = first; r < end; ++r) {
    const int64_t at = r * s.units;
    float* __restrict dh = s.dh + at;
    if (s.given) {
      const float* __restrict given = s.given + at;
      for (int64_t u = 0; u < s.units; ++u) dh[u] += given[u];
    }
    float* sums = s.sums + 4 * at;
    if (s.counts && !s.counts[r]) {
      std::fill_n(sums, 4 * s.units, 0.F);
      continue;
    }
    lstm_row_backward(s.gates + 4 * at, s.c_before + at, s.c + at, dh, s.dc + at, sums, sums + s.units,
                      sums + 2 * s.units, sums + 3 * s.units, s.units);
    if (s.counts) std::fill_n(dh, s.units, 0.F);
  }
}

}  // namespace

void lstm_step(const LstmStep& step) {
  at::parallel_for(0, step.rows, recurrent_grain(step.units),
                   [&](int64_t first, int64_t end) { with_widest_vectors([&] { lstm_rows(step, first, end); }); });
}

void lstm_step_backward(const LstmStepBackward& step) {
  at::parallel_for(0, step.rows, recurrent_grain(step.units), [&](int64_t first, int64_t end) {
    with_widest_vectors([&] { lstm_rows_backward(step, first, end); });
  });
}

}  // namespace tandem::kernels
