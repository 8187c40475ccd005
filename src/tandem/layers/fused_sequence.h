#pragma once
#include "tandem/layers/recurrent_cell.h"

/// What the cells share that work through a whole sequence as one operation of autograd.
namespace tandem {

/// Whether LSTM, GRU (reset_after) and SimpleRNN with their usual activations compute all steps as one operation of
/// autograd, with fused kernels, on the CPU. On unless told otherwise; for comparisons, and for gradients of gradients,
/// which it does not have.
void set_fused_sequences(bool on);

/// Whether this sequence, whose x is (steps, rows, gates * units), can be computed so.
bool can_fuse(const Sequence& projected);

/// A sequence's states after each step (steps, rows, units), of which the first is the output.
struct FusedStates {
  Tensor all;
  Tensor last;  // (rows, units)
};

/// The outputs that `sequence` asks for: a step that the mask leaves out repeats the last output, which is 0 until one
/// counts, while the state is what was given.
Tensor outputs_of(const Sequence& sequence, const FusedStates& states);

/// Throws InvalidArgument where gradients are to have gradients.
void refuse_second_gradients(const char* cell);

}  // namespace tandem
