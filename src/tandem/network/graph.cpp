#include "tandem/network/graph.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <atomic>
#include <unordered_map>

#include "tandem/core/error.h"
#include "tandem/layers/call_trace.h"
#include "tandem/layers/layer_calls.h"
#include "tandem/layers/masks.h"
#include "tandem/layers/policy_call.h"
#include "tandem/network/masks_taken.h"
#include "tandem/network/placed_run.h"
#include "tandem/network/tensor_structure.h"

namespace tandem {
namespace {

std::atomic<bool> fusion = true;

}  // namespace

void set_fusion(bool on) { fusion = on; }

Graph::Graph(const KerasTensors& inputs, const KerasTensors& outputs, const CallOrigins& origins)
    : inputs_(inputs), outputs_(outputs), order_(order_graph(inputs, outputs)) {
  plan(origins);
  ensure_built(input_shapes());
}

Graph::~Graph() {
  // The last nodes first: a node that is freed frees its inputs, and a long graph would recurse as deep as it is long.
  outputs_ = {};
  while (!order_.nodes.empty()) order_.nodes.pop_back();
}

std::vector<LayerHandle> Graph::layers() const {
  std::vector<LayerHandle> layers;
  for (const auto& layer : order_.layers) layers.emplace_back(layer);
  return layers;
}

Shapes Graph::input_shapes() const {
  Shapes shapes;
  for (const auto& input : inputs_) shapes.push_back(input.shape());
  return shapes;
}

std::vector<std::string> Graph::output_names() const {
  std::vector<std::string> names = structure_names(output_structure_);
  if (!names.empty()) return names;
  for (const auto& output : outputs_) names.push_back(output.node()->layer->name());
  return names;
}

void Graph::plan(const CallOrigins& origins) {
  std::unordered_map<const Node*, std::size_t> first_slot;
  for (const auto& node : order_.nodes) {
    first_slot[node.get()] = slots_;
    slots_ += node->output_shapes.size();
  }
  const auto slot = [&](const KerasTensor& t) {
    return first_slot.at(t.node().get()) + static_cast<std::size_t>(t.index());
  };
  for (const auto& node : order_.nodes) {
    if (node->is_input()) continue;
    GraphStep step{node->layer.get(),
                   node->arguments.get(),
                   node->device,
                   steps_.size(),
                   false,
                   {},
                   first_slot[node.get()],
                   node->output_shapes.size(),
                   {}};
    for (const auto& input : node->inputs) step.reads.push_back(slot(input));
    if (const auto origin = origins.find(node.get()); origin != origins.end()) {
      step.part = origin->second.part;
      step.without_mask = origin->second.without_mask;
    }
    steps_.push_back(std::move(step));
  }
  for (const auto& input : inputs_) input_slots_.push_back(slot(input));
  for (const auto& output : outputs_) output_slots_.push_back(slot(output));
  if (origins.empty()) note_taken_masks(steps_, slots_);
  if (fusion) fuse_relus();

  std::vector<bool> needed(slots_, false);
  for (auto s : output_slots_) needed[s] = true;
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    for (auto s : step->reads) {
      if (!needed[s]) step->last_use.push_back(s);
      needed[s] = true;
    }
  }
}

void Graph::fuse_relus() {
  std::vector<int> readers(slots_, 0);
  for (const auto& step : steps_) {
    for (auto s : step.reads) ++readers[s];
  }
  for (auto s : output_slots_) ++readers[s];
  std::unordered_map<std::size_t, GraphStep*> makers;  // of values that a ReLU could be a part of
  for (auto& step : steps_) {
    const auto maker = step.layer->is_relu() ? makers.find(step.reads.front()) : makers.end();
    if (maker != makers.end() && maker->second->device == step.device) {
      maker->second->relu = true;
      maker->second->writes = step.writes;
      step.layer = nullptr;
    } else if (step.layer->can_apply_relu() && step.count == 1 && readers[step.writes] == 1) {
      makers[step.writes] = &step;
    }
  }
  std::erase_if(steps_, [](const GraphStep& step) { return !step.layer; });
}

void Graph::check_inputs(const Tensors& given) const {
  Shapes shapes;
  for (const auto& x : given) shapes.push_back(Shape::of(x.sizes().vec()));
  check_shapes(shapes);
}

void Graph::check_shapes(const Shapes& given) const {
  if (static_cast<int64_t>(given.size()) != inputs_.size()) {
    throw InvalidArgument(c10::str("model '", name(), "': must get ", inputs_.size(), " inputs, got ", given.size()));
  }
  for (std::size_t i = 0; i < given.size(); ++i) {
    const auto& input = inputs_[static_cast<int64_t>(i)];
    Shape must = input.shape();
    must[0] = Shape::kUnknown;  // as in Keras, which takes batches of any size
    if (!must.matches(given[i])) {
      throw InvalidArgument(c10::str("model '", name(), "': input '", input.node()->layer->name(), "' must have shape ",
                                     input.shape(), ", got ", given[i]));
    }
  }
}

std::vector<std::shared_ptr<Layer>> Graph::output_layers() const {
  std::vector<std::shared_ptr<Layer>> made_by;
  for (const auto& output : outputs_) made_by.push_back(output.node()->layer);
  return made_by;
}

void Graph::build_many(const Shapes& inputs) { check_shapes(inputs); }

Tensors GraphStep::run(const Tensors& inputs, const CallContext& context) const {
  Tensors outputs = without_mask.empty() ? call(inputs, context) : call(unmasked(inputs), context);
  hand_on_masks(*layer, inputs, outputs);
  return outputs;
}

Tensors GraphStep::unmasked(Tensors inputs) const {
  for (const auto i : without_mask) {
    Tensor& x = inputs[static_cast<int64_t>(i)];
    if (mask_of(x).defined()) x = at::alias(x);  // the same values, a tensor of its own
  }
  return inputs;
}

Tensors GraphStep::call(const Tensors& inputs, const CallContext& context) const {
  // Layers that this one calls by hand draw from streams of its own call, wherever the calls before it are made.
  const CallScope scope(context);
  const auto make = [&] {
    if (!relu) return run_call(*layer, arguments, inputs, context);
    return call_in_policy(*layer, inputs, [&](const Tensors& x) { return layer->call_with_relu(x.front(), context); });
  };
  return context.trace ? context.trace->record(*layer, inputs, make) : make();
}

Tensors Graph::call_many(const Tensors& inputs, const CallContext& context) {
  check_inputs(inputs);
  Tensors converted;
  for (int64_t i = 0; i < inputs.size(); ++i)
    converted.push_back(
        with_mask_of(inputs[i], inputs_[i].node()->layer->call(inputs[i], context)));  // to the Input's type
  return context.placed ? context.placed->run(*this, converted, context) : run_steps(converted, context);
}

Tensors Graph::run_steps(const Tensors& inputs, const CallContext& context) const {
  std::vector<Tensor> values(slots_);
  for (std::size_t i = 0; i < input_slots_.size(); ++i) values[input_slots_[i]] = inputs[static_cast<int64_t>(i)];
  for (const auto& step : steps_) {
    Tensors arguments;
    for (auto s : step.reads) arguments.push_back(values[s]);
    Tensors results = step.run(arguments, context.part(step.part));
    for (std::size_t j = 0; j < step.count; ++j) values[step.writes + j] = std::move(results[static_cast<int64_t>(j)]);
    for (auto s : step.last_use) values[s].reset();
  }
  Tensors outputs;
  for (auto s : output_slots_) outputs.push_back(values[s]);
  return outputs;
}

Shapes Graph::output_shapes(const Shapes& inputs) {
  check_shapes(inputs);
  std::unordered_map<const Node*, Shapes> shapes;
  for (const auto& node : order_.nodes) {
    if (node->is_input()) continue;
    Shapes arguments;
    for (const auto& input : node->inputs) {
      const auto found = shapes.find(input.node().get());
      if (found != shapes.end()) {
        arguments.push_back(found->second[static_cast<std::size_t>(input.index())]);
        continue;
      }
      for (int64_t i = 0; i < inputs_.size(); ++i) {
        if (inputs_[i] == input) arguments.push_back(inputs[static_cast<std::size_t>(i)]);
      }
    }
    shapes[node.get()] = shapes_of_call(*node->layer, node->arguments.get(), arguments);
  }
  Shapes results;
  for (int64_t i = 0; i < outputs_.size(); ++i) {
    const auto& output = outputs_[i];
    results.push_back(output.node()->is_input()
                          ? output.shape()
                          : shapes[output.node().get()][static_cast<std::size_t>(output.index())]);
  }
  return results;
}

}  // namespace tandem
