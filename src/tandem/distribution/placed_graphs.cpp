#include "tandem/distribution/placed_graphs.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

#include "tandem/core/error.h"
#include "tandem/distribution/placed_call.h"

namespace tandem::distribute {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// The whole call as one node of the replica's autograd graph. `given`: the trained weights, then the graph's inputs.
struct DifferentiableCall : torch::autograd::Function<DifferentiableCall> {
  static variable_list forward(AutogradContext* context, at::TensorList, PlacedCall* call, PlacedDevices* devices) {
    context->set_materialize_grads(false);
    context->saved_data["call"] = c10::IValue::make_capsule(c10::intrusive_ptr<PlacedCall>::reclaim_copy(call));
    context->saved_data["devices"] = static_cast<int64_t>(reinterpret_cast<std::intptr_t>(devices));
    call->forward();
    return call->results();
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    if (c10::GradMode::is_enabled()) {
      throw InvalidArgument(
          "backward: gradients of gradients cannot be had through layers that are placed on several devices");
    }
    // The devices outlive the step, and so its backward.
    auto& devices =
        *reinterpret_cast<PlacedDevices*>(static_cast<std::intptr_t>(context->saved_data["devices"].toInt()));
    const auto call = context->saved_data["call"].toCapsule();
    variable_list of_inputs;
    try {
      of_inputs = static_cast<PlacedCall&>(*call).backward(gradients);
    } catch (...) {
      devices.weights().take_gradients();  // a part of them
      throw;
    }
    variable_list results = devices.weights().take_gradients();
    results.insert(results.end(), of_inputs.begin(), of_inputs.end());
    results.resize(results.size() + 2);
    return results;
  }
};

}  // namespace

DividedGraph divide_by_scopes(const Graph& graph, const Devices& devices, const Device& unscoped) {
  return divide_graph(graph, [&](const std::optional<Device>& scope) {
    const auto found = std::find(devices.begin(), devices.end(), scope.value_or(unscoped));
    if (found == devices.end()) {
      throw InternalError("model '" + graph.name() + "': a layer is placed on " + scope.value_or(unscoped).to_string() +
                          ", which is not among " + devices.to_string());
    }
    return static_cast<std::size_t>(found - devices.begin());
  });
}

PlacedGraphs::PlacedGraphs(const Network& network, const Devices& devices, const Device& unscoped,
                           int64_t threads_per_device)
    : devices_(devices, network.weights(), threads_per_device), unscoped_(unscoped) {}

const PlacedGraphs::Known& PlacedGraphs::known(const Graph& graph) {
  auto& known = known_[&graph];
  if (known.graph.lock().get() == &graph) return known;
  known.graph = graph.weak_from_this();
  known.divided = divide_by_scopes(graph, devices_.devices(), unscoped_);
  const auto& segments = known.divided.segments;
  for (const auto& segment : segments) {
    for (const auto& step : segment.steps) {
      for (const auto& w : step.layer->weights()) devices_.weights().need(segment.place, w);
    }
  }
  known.on_first = std::all_of(segments.begin(), segments.end(), [](const Segment& s) { return s.place == 0; });
  return known;
}

Tensors PlacedGraphs::run(const Graph& graph, const Tensors& inputs, const CallContext& context) {
  const auto& own = known(graph);
  CallContext inner = context;
  inner.placed = nullptr;
  if (own.on_first) return graph.run_steps(inputs, inner);

  const WeightMap* replica = WeightScope::current();
  if (!replica) throw InternalError("PlacedGraphs: must run within a replica's WeightScope");
  auto& weights = devices_.weights();
  weights.follow(*replica);
  variable_list given = weights.trained();
  for (const auto& x : inputs) given.push_back(x);
  const bool differentiable = c10::GradMode::is_enabled() &&
                              std::any_of(given.begin(), given.end(), [](const auto& t) { return t.requires_grad(); });
  auto call = c10::make_intrusive<PlacedCall>(devices_, own.divided, inputs.vector(), inner, differentiable);
  variable_list results;
  if (differentiable) {
    results = DifferentiableCall::apply(at::TensorList(given), call.get(), &devices_);
  } else {
    call->forward();
    results = call->results();
  }
  if (context.training) weights.keep_statistics();

  Tensors outputs;  // those that no layer makes are inputs
  const auto& divided = own.divided;
  for (auto number : divided.outputs) {
    const auto input = std::find(divided.inputs.begin(), divided.inputs.end(), number);
    outputs.push_back(input == divided.inputs.end() ? Tensor() : inputs[input - divided.inputs.begin()]);
  }
  std::size_t next = 0;
  for (auto i : call->made_outputs()) outputs[static_cast<int64_t>(i)] = results[next++];
  for (auto i : call->logits_of()) context.logits->remember(outputs[static_cast<int64_t>(i)], results[next++]);
  for (; next < results.size(); ++next) context.add_loss(results[next]);
  return outputs;
}

}  // namespace tandem::distribute
