#include "tandem/layers/call_trace.h"

#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <unordered_set>

#include "tandem/core/steady_seconds.h"

namespace tandem {
namespace {

using GradientNode = torch::autograd::Node;
using torch::autograd::variable_list;
using Spans = std::vector<TraceSpan>;

class NodeBegins final : public torch::autograd::FunctionPreHook {
 public:
  NodeBegins(std::shared_ptr<Spans> spans, std::size_t i) : spans_(std::move(spans)), i_(i) {}
  variable_list operator()(const variable_list& gradients) override {
    auto& span = (*spans_)[i_];
    if (span.start == 0) span.start = steady_seconds();
    return gradients;
  }

 private:
  std::shared_ptr<Spans> spans_;
  std::size_t i_;
};

class NodeEnds final : public torch::autograd::FunctionPostHook {
 public:
  NodeEnds(std::shared_ptr<Spans> spans, std::size_t i) : spans_(std::move(spans)), i_(i) {}
  variable_list operator()(const variable_list& gradients, const variable_list&) override {
    (*spans_)[i_].end = steady_seconds();
    return gradients;
  }

 private:
  std::shared_ptr<Spans> spans_;
  std::size_t i_;
};

// The nodes between `inputs` and `outputs`. Nodes that add to a weight's gradient have nothing behind them; they are
// left out, since they live on from step to step.
std::vector<GradientNode*> nodes_between(const Tensors& inputs, const Tensors& outputs) {
  std::unordered_set<const GradientNode*> seen;
  for (const auto& x : inputs) {
    if (x.defined() && x.grad_fn()) seen.insert(x.grad_fn().get());
  }
  std::vector<GradientNode*> found;
  const auto visit = [&](GradientNode* node) {
    if (node && node->num_outputs() > 0 && seen.insert(node).second) found.push_back(node);
  };
  for (const auto& y : outputs) {
    if (y.defined() && y.grad_fn()) visit(y.grad_fn().get());
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (const auto& edge : found[i]->next_edges()) visit(edge.function.get());
  }
  return found;
}

}  // namespace

CallTrace::CallTrace(std::string device, CallWatch* watch, bool records)
    : device_(std::move(device)), watch_(watch), records_(records), spans_(std::make_shared<Spans>()) {}

std::size_t CallTrace::begin(const Layer& layer) {
  spans_->push_back({.device = device_, .layer = layer.name(), .start = steady_seconds()});
  return spans_->size() - 1;
}

void CallTrace::end(std::size_t span, const Layer& layer, const Tensors& inputs, const Tensors& outputs) {
  (*spans_)[span].end = steady_seconds();
  const auto nodes = nodes_between(inputs, outputs);
  if (nodes.empty()) return;
  spans_->push_back({.device = device_, .layer = layer.name(), .backward = true});
  const std::size_t backward = spans_->size() - 1;
  for (auto* node : nodes) {
    node->add_pre_hook(std::make_unique<NodeBegins>(spans_, backward));
    node->add_post_hook(std::make_unique<NodeEnds>(spans_, backward));
  }
}

std::vector<TraceSpan> CallTrace::spans() const {
  Spans ended;  // a call that threw and a graph that nobody went back through have no end
  for (const auto& span : *spans_) {
    if (span.end > 0) ended.push_back(span);
  }
  std::stable_sort(ended.begin(), ended.end(), [](const auto& a, const auto& b) { return a.start < b.start; });
  return ended;
}

std::vector<TraceSpan> spans_of(const std::vector<CallTrace>& traces) {
  std::vector<TraceSpan> all;
  for (const auto& trace : traces) {
    const auto spans = trace.spans();
    all.insert(all.end(), spans.begin(), spans.end());
  }
  return all;
}

}  // namespace tandem
