// HostPart: how one replica runs a graph of which a part runs on the host.
#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

#include "tandem/core/error.h"
#include "tandem/core/mask.h"
#include "tandem/distribution/host_part.h"
#include "tandem/distribution/sum_over_replicas.h"

namespace tandem::distribute {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// What one replica's rank asks of the host in one call.
struct HostRequest {
  HostPart::Rank& rank;
  const Segment& segment;
  const std::vector<std::size_t>& wanted;
  variable_list values;
  const CallContext& context;
  bool ordered;
};

// The host's part as a node of a replica's autograd graph. The tensors given: the replica's trained weights, so that
// backward comes here on every rank, then what the segment reads. What it reads and gives is in host memory, so that
// backward comes here on the replica's own thread, which may wait for the others, on GPUs, too.
struct HostNode : torch::autograd::Function<HostNode> {
  static variable_list forward(AutogradContext* context, at::TensorList, const std::optional<Tensor>&,
                               HostRequest* request) {
    context->set_materialize_grads(false);
    auto results = request->rank.forward(request->segment, request->wanted, request->values, request->context, true);
    context->saved_data["call"] =
        c10::IValue::make_capsule(c10::intrusive_ptr<torch::CustomClassHolder>(request->rank.last_call()));
    context->saved_data["rank"] = static_cast<int64_t>(reinterpret_cast<std::intptr_t>(&request->rank));
    if (request->ordered) results.push_back(at::zeros({}));
    context->saved_data["ordered"] = request->ordered;
    return results;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    if (c10::GradMode::is_enabled())
      throw InvalidArgument("backward: gradients of gradients cannot be had through layers that run on the host");
    // The ranks outlive the step, and so its backward.
    auto& rank = *reinterpret_cast<HostPart::Rank*>(static_cast<std::intptr_t>(context->saved_data["rank"].toInt()));
    auto call = c10::static_intrusive_pointer_cast<HostCall>(context->saved_data["call"].toCapsule());
    if (context->saved_data["ordered"].toBool()) gradients.pop_back();
    auto results = rank.backward(call, std::move(gradients));
    results.resize(results.size() + 2);
    return results;
  }
};

}  // namespace

Tensors HostPart::Rank::run(const Graph& graph, const Tensors& inputs, const CallContext& context) {
  const auto& parts = divided(graph);
  CallContext inner = context;
  inner.placed = nullptr;
  const bool elsewhere =
      std::any_of(parts.segments.begin(), parts.segments.end(), [](const Segment& s) { return s.place == 1; });
  if (!elsewhere) return graph.run_steps(inputs, inner);
  device_ = inputs[0].device();
  weights_ = WeightScope::current();
  if (!weights_) throw InternalError("HostPart: must run within a replica's WeightScope");
  if (leads()) part_.weights_.follow(*weights_);
  trained_.clear();
  for (const auto& w : part_.all_weights_) {
    const auto own = weights_->find(&w.variable());
    if (own != weights_->end() && own->second.requires_grad()) trained_.push_back(own->second);
  }

  std::vector<Tensor> values(parts.values);
  for (std::size_t i = 0; i < parts.inputs.size(); ++i) values[parts.inputs[i]] = inputs[static_cast<int64_t>(i)];
  for (const auto& segment : parts.segments) {
    if (segment.place == 1) {
      run_host(parts, segment, values, inner);
      continue;
    }
    std::vector<Tensor> given;
    for (auto number : segment.reads) given.push_back(values[number]);
    const auto written = segment.run(std::move(given), inner);
    for (std::size_t k = 0; k < written.size(); ++k) values[segment.writes[k].second] = written[k];
  }
  Tensors outputs;
  for (auto number : parts.outputs) outputs.push_back(values[number]);
  return outputs;
}

void HostPart::Rank::run_host(const DividedGraph& divided, const Segment& segment, std::vector<Tensor>& values,
                              const CallContext& context) {
  variable_list given, all;
  for (auto number : segment.reads) given.push_back(with_mask_of(values[number], values[number].to(at::kCPU)));
  std::vector<std::size_t> wanted;  // a loss may ask for the logits behind an output
  for (std::size_t k = 0; k < segment.writes.size(); ++k) {
    const bool is_output =
        std::find(divided.outputs.begin(), divided.outputs.end(), segment.writes[k].second) != divided.outputs.end();
    if (context.logits && is_output) wanted.push_back(k);
  }
  variable_list results;
  if (c10::GradMode::is_enabled()) {
    all = trained_;
    all.insert(all.end(), given.begin(), given.end());
    // Alone, a replica has nobody to wait for in another order.
    auto* others = device_.is_cpu() ? nullptr : static_cast<SumOverReplicas*>(context.replicas);
    HostRequest request{*this, segment, wanted, given, context, others != nullptr};
    results = HostNode::apply(at::TensorList(all), others ? std::optional(others->order()) : std::nullopt, &request);
    if (others) {
      others->order() = results.back();
      results.pop_back();
    }
  } else {
    results = forward(segment, wanted, given, context, false);
  }
  for (auto& result : results) result = with_mask_of(result, result.to(device_));
  std::size_t next = 0;
  for (const auto& [within, number] : segment.writes) values[number] = results[next++];
  for (auto k : call_->logits_of()) context.logits->remember(values[segment.writes[k].second], results[next++]);
  for (; next < results.size(); ++next) context.add_loss(results[next]);
  for (const auto& [name, mean] : call_->figures()) context.add_metric(mean, name);
}

}  // namespace tandem::distribute
