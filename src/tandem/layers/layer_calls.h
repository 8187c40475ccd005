#pragma once
#include <memory>
#include <vector>

#include "tandem/layers/call_arguments.h"
#include "tandem/layers/keras_tensor.h"
#include "tandem/layers/layer.h"

/// The ways to call a layer, with arguments beside its inputs or, where they are null, without. Throw InvalidArgument
/// naming a layer that takes no arguments.
namespace tandem {

/// Builds the layer at its first call, checks shapes, and adds the call to the graph of `inputs`.
std::vector<KerasTensor> call_in_graph(const std::shared_ptr<Layer>& layer, const KerasTensors& inputs,
                                       std::shared_ptr<const CallArguments> arguments);

/// Computes now: what a program's call by hand does (LayerHandle).
Tensors call_now(const std::shared_ptr<Layer>& layer, const CallArguments* arguments, const Tensors& inputs,
                 const CallContext& context);

/// The layer's own call, for those who trace it and hand on its masks.
Tensors run_call(Layer& layer, const CallArguments* arguments, const Tensors& inputs, const CallContext& context);

/// The outputs' shapes.
Shapes shapes_of_call(Layer& layer, const CallArguments* arguments, const Shapes& inputs);

}  // namespace tandem
