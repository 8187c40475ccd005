#pragma once
#include <cstddef>
#include <vector>

#include "tandem/network/graph.h"

namespace tandem {

/// MultiHeadAttention in Keras takes the masks off its inputs while it runs. Layers that were told their masks when the
/// model was made (recurrent ones, pooling, normalisation) do not notice; attention, which looks at the tensors when it
/// is called, finds none there afterwards, nor on what was computed from them alone. A decoder's second look at an
/// encoder's masked output is unmasked, and so is the second block of an encoder that normalises behind its residuals.
/// Notes for each step of attention which inputs have lost theirs. `steps` are in the order in which they run, on
/// values 0 to `slots` - 1; models within begin anew.
void note_taken_masks(std::vector<GraphStep>& steps, std::size_t slots);

}  // namespace tandem
