#pragma once
#include "tandem/core/handle.h"
#include "tandem/core/tensor.h"
#include "tandem/layers/call_context.h"
#include "tandem/layers/regularizer.h"

namespace tandem {

/// What layers do with an activity regulariser at the end of a call: adds its value for the layer's output, divided by
/// the rows of the output as Keras does, to the losses of the call. Nothing where there is no regulariser, nobody adds
/// up losses, or the output has no rows.
void add_activity_loss(const Handle<Regularizer>& regularizer, const Tensor& output, const CallContext& context);

/// The regulariser as an object, so that an unknown name is refused (InvalidArgument) when the layer is made and not
/// looked up in each call; empty stays empty.
Handle<Regularizer> resolved(const Handle<Regularizer>& regularizer);

}  // namespace tandem
