#include "tandem/layers/layer_handle.h"

#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"
#include "tandem/layers/call_trace.h"
#include "tandem/layers/masks.h"

namespace tandem {

const std::shared_ptr<Layer>& LayerHandle::get() const {
  if (!layer_) throw InvalidArgument("layer or model: must be made before it is used, this one is empty");
  return layer_;
}

std::vector<KerasTensor> LayerHandle::outputs(const KerasTensors& inputs) const {
  const auto& layer = get();
  if (inputs.empty())
    throw InvalidArgument(c10::str("layer '", layer->name(), "': must be called on at least one input, got none"));
  auto node = std::make_shared<Node>();
  node->layer = layer;
  Shapes shapes;
  for (const auto& input : inputs) {
    node->inputs.push_back(input);
    shapes.push_back(input.shape());
  }
  layer->ensure_built(shapes);
  node->output_shapes = layer->output_shapes(shapes);
  node->device = DeviceScope::current();
  std::vector<KerasTensor> outputs;
  for (std::size_t i = 0; i < node->output_shapes.size(); ++i) outputs.emplace_back(node, static_cast<int64_t>(i));
  return outputs;
}

KerasTensor LayerHandle::operator()(const KerasTensors& inputs) const { return outputs(inputs).front(); }

Tensor LayerHandle::operator()(const Tensors& inputs) const { return call_many(inputs, current_context()).front(); }

Tensor LayerHandle::operator()(const Tensors& inputs, const CallContext& context) const {
  return call_many(inputs, context).front();
}

Tensors LayerHandle::call_many(const Tensors& inputs, const CallContext& context) const {
  const auto& layer = get();
  const WeightMap* replica_weights = WeightScope::current();
  if (!layer->built()) {
    if (replica_weights) {
      throw InvalidArgument(c10::str("layer '", layer->name(), "' (", layer->class_name(),
                                     "): must be used in inference too, so that it is built before training starts"));
    }
    Shapes shapes;
    for (const auto& x : inputs) {
      shapes.push_back(Shape::of(x.sizes().vec()));
      if (!shapes.back().empty()) shapes.back()[0] = Shape::kUnknown;
    }
    layer->ensure_built(shapes);
  }
  const auto& own = layer->own_weights();
  const auto reached = [&](const Weight& w) { return replica_weights->contains(&w.variable()); };
  if (replica_weights && layer->trainable() && !own.empty() && std::none_of(own.begin(), own.end(), reached)) {
    throw InvalidArgument(c10::str("layer '", layer->name(), "' (", layer->class_name(),
                                   "): is called by a model that it is not a part of, so that it would not be trained; "
                                   "register it with track, or set_trainable(false) where that is meant"));
  }
  const CallContext call = next_call(context);
  Tensors outputs = call.trace ? call.trace->record(*layer, inputs, [&] { return layer->call_many(inputs, call); })
                               : layer->call_many(inputs, call);
  hand_on_masks(*layer, inputs, outputs);
  return outputs;
}

}  // namespace tandem
