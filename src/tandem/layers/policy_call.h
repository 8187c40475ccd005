#pragma once
#include <c10/util/FunctionRef.h>

#include "tandem/core/tensor.h"
#include "tandem/layers/layer.h"

namespace tandem {

/// The outputs of `call` of `layer`, given the inputs in the type that the layer's policy says, as keras.Layer.__call__
/// casts them; masks stay with them. Tensors of whole numbers and of float64 go as they are.
Tensors call_in_policy(const Layer& layer, const Tensors& inputs, c10::function_ref<Tensors(const Tensors&)> call);

}  // namespace tandem
