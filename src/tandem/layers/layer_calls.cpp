#include "tandem/layers/layer_calls.h"

#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"
#include "tandem/core/mask.h"
#include "tandem/layers/attention_layer.h"
#include "tandem/layers/call_trace.h"
#include "tandem/layers/layer_with_arguments.h"
#include "tandem/layers/masks.h"
#include "tandem/layers/policy_call.h"

namespace tandem {
namespace {

LayerWithArguments& taking_arguments(Layer& layer) {
  if (auto* found = dynamic_cast<LayerWithArguments*>(&layer)) return *found;
  throw InvalidArgument(c10::str("layer '", layer.name(), "' (", layer.class_name(),
                                 "): must be called on tensors alone, takes no other arguments"));
}

void build_for(Layer& layer, const CallArguments* arguments, const Shapes& inputs) {
  if (layer.built()) return;
  layer.ensure_built(arguments ? taking_arguments(layer).shapes_to_build(*arguments, inputs) : inputs);
}

}  // namespace

std::vector<KerasTensor> call_in_graph(const std::shared_ptr<Layer>& layer, const KerasTensors& inputs,
                                       std::shared_ptr<const CallArguments> arguments) {
  if (inputs.empty())
    throw InvalidArgument(c10::str("layer '", layer->name(), "': must be called on at least one input, got none"));
  layer->name();  // automatic names count in the order of the calls, those of layers that one makes for itself included
  auto node = std::make_shared<Node>();
  node->layer = layer;
  Shapes shapes;
  for (const auto& input : inputs) {
    node->inputs.push_back(input);
    shapes.push_back(input.shape());
  }
  // So that the call is written as Keras's, which may be no list.
  if (const auto* takes_any = dynamic_cast<const LayerWithArguments*>(layer.get()); takes_any && !arguments)
    arguments = std::make_shared<CallArguments>(takes_any->plain_arguments(shapes.size()));
  build_for(*layer, arguments.get(), shapes);
  node->output_shapes = shapes_of_call(*layer, arguments.get(), shapes);
  node->device = DeviceScope::current();
  node->arguments = std::move(arguments);
  std::vector<KerasTensor> outputs;
  for (std::size_t i = 0; i < node->output_shapes.size(); ++i) outputs.emplace_back(node, static_cast<int64_t>(i));
  return outputs;
}

Tensors call_now(const std::shared_ptr<Layer>& layer, const CallArguments* arguments, const Tensors& inputs,
                 const CallContext& context) {
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
    build_for(*layer, arguments, shapes);
  }
  const auto& own = layer->own_weights();
  const auto reached = [&](const Weight& w) { return replica_weights->contains(&w.variable()); };
  if (replica_weights && layer->trainable() && !own.empty() && std::none_of(own.begin(), own.end(), reached)) {
    throw InvalidArgument(c10::str("layer '", layer->name(), "' (", layer->class_name(),
                                   "): is called by a model that it is not a part of, so that it would not be trained; "
                                   "register it with track, or set_trainable(false) where that is meant"));
  }
  const CallContext call = next_call(context);
  const auto run = [&] { return run_call(*layer, arguments, inputs, call); };
  Tensors outputs = call.trace ? call.trace->record(*layer, inputs, run) : run();
  hand_on_masks(*layer, inputs, outputs);
  const auto* attention = dynamic_cast<const AttentionLayer*>(layer.get());
  if (!attention || !attention->takes_masks()) return outputs;
  const auto read = attention->read_call(
      arguments ? *arguments : attention->plain_arguments(static_cast<std::size_t>(inputs.size())));
  for (const int64_t i : {read.query, read.value, read.key.value_or(read.value)}) set_mask(inputs[i], {});
  return outputs;
}

Tensors run_call(Layer& layer, const CallArguments* arguments, const Tensors& inputs, const CallContext& context) {
  return call_in_policy(layer, inputs, [&](const Tensors& x) {
    return arguments ? taking_arguments(layer).call_for(*arguments, x, context) : layer.call_many(x, context);
  });
}

Shapes shapes_of_call(Layer& layer, const CallArguments* arguments, const Shapes& inputs) {
  return arguments ? taking_arguments(layer).output_shapes_for(*arguments, inputs) : layer.output_shapes(inputs);
}

}  // namespace tandem
