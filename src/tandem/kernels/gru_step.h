#pragma once
#include <cstdint>

namespace tandem::kernels {

/// One step of a GRU (Cho et al. 2014) whose reset gate works on the product with the recurrent kernel, with sigmoid
/// gates and tanh, in one pass over memory. Arrays are float32 and row-major, (rows, units) unless said otherwise.
struct GruStep {
  int64_t rows, units;
  float* gates;        // (rows, 3 units): the input's part of z, r, h; the gates' values afterwards
  const float* inner;  // (rows, 3 units): the state's part, its bias included
  const float* h_before;
  const bool* counts;  // (rows,): false keeps the row's h; null: every row counts
  float* inner_h;      // the third part of inner, kept for the way back
  float* h;
};
void gru_step(const GruStep& step);

/// The way back through one step, from what gru_step has left.
struct GruStepBackward {
  int64_t rows, units;
  const float* gates;  // (rows, 3 units), values
  const float* inner_h;
  const float* h_before;
  const bool* counts;
  const float* given;  // gradient of this step's h from outside; null: none
  float* dh;           // gradient of h from later steps; afterwards that of h_before, but for what went through inner
  float* sums;         // (rows, 3 units): gradient of the input's part
  float* inner;        // (rows, 3 units): gradient of the state's part
};
void gru_step_backward(const GruStepBackward& step);

}  // namespace tandem::kernels
