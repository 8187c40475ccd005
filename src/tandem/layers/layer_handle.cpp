#include "tandem/layers/layer_handle.h"

#include "tandem/core/error.h"
#include "tandem/layers/layer_calls.h"

namespace tandem {

const std::shared_ptr<Layer>& LayerHandle::get() const {
  if (!layer_) throw InvalidArgument("layer or model: must be made before it is used, this one is empty");
  return layer_;
}

std::vector<KerasTensor> LayerHandle::outputs(const KerasTensors& inputs) const {
  return call_in_graph(get(), inputs, nullptr);
}

KerasTensor LayerHandle::operator()(const KerasTensors& inputs) const { return outputs(inputs).front(); }

Tensor LayerHandle::operator()(const Tensors& inputs) const { return call_many(inputs, current_context()).front(); }

Tensor LayerHandle::operator()(const Tensors& inputs, const CallContext& context) const {
  return call_many(inputs, context).front();
}

Tensors LayerHandle::call_many(const Tensors& inputs, const CallContext& context) const {
  return call_now(get(), nullptr, inputs, context);
}

}  // namespace tandem
