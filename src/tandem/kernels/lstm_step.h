#pragma once
#include <cstdint>

namespace tandem::kernels {

/// One step of an LSTM (Hochreiter and Schmidhuber 1997) with sigmoid gates and tanh, in one pass over memory. Arrays
/// are float32 and row-major, (rows, units) unless said otherwise.
struct LstmStep {
  int64_t rows, units;
  float* gates;           // (rows, 4 units): the sums of i, f, g, o; the gates' values afterwards
  const float* c_before;  // carry
  const float* h_before;  // output; read where counts is given
  const bool* counts;     // (rows,): false keeps the row's h and c; null: every row counts
  float* c;
  float* h;
};
void lstm_step(const LstmStep& step);

/// The way back through one step, from what lstm_step has left.
struct LstmStepBackward {
  int64_t rows, units;
  const float* gates;  // (rows, 4 units), values
  const float* c_before;
  const float* c;
  const bool* counts;
  const float* given;  // gradient of this step's h from outside; null: none
  float* dh;           // gradient of h from later steps; with counts afterwards that of h_before past the gates: 0
                       // where the row counts
  float* dc;           // gradient of c; of c_before afterwards
  float* sums;         // (rows, 4 units): gradient of the sums
};
void lstm_step_backward(const LstmStepBackward& step);

}  // namespace tandem::kernels
