#pragma once
#include "tandem/core/mask.h"
#include "tandem/layers/layer.h"

namespace tandem {

/// Gives the outputs of a call their masks, as Keras does behind every layer: those that the layer computes from its
/// inputs', unless all outputs have one already. Part of every way to call a layer but Layer::call itself.
void hand_on_masks(Layer& layer, const Tensors& inputs, const Tensors& outputs);

/// Where a step counts in any input, for the inputs' masks; undefined, everywhere, where one has none.
Tensor union_of(const Tensors& masks);

/// `mask` (rows, steps, ...) as a factor for x (rows, steps, ..., features): axes of size 1 behind its own.
Tensor mask_like(const Tensor& mask, const Tensor& x);

}  // namespace tandem
