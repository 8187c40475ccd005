// Gathered weights: how they come back while autograd goes back.
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <limits>
#include <unordered_set>
#include <utility>

#include "tandem/distribution/gathered_weights.h"

namespace tandem::distribute {

using torch::autograd::Node;
using torch::autograd::variable_list;

namespace {

// What `roots` were made by, in the order in which it was made; autograd runs the last one first.
std::vector<Node*> nodes_behind(const std::vector<Tensor>& roots) {
  std::vector<Node*> found;
  std::unordered_set<const Node*> seen;
  const auto visit = [&](Node* node) {  // but those that add to a leaf's gradient, which have no number
    if (node && node->sequence_nr() != std::numeric_limits<uint64_t>::max() && seen.insert(node).second)
      found.push_back(node);
  };
  for (const auto& root : roots) visit(root.grad_fn().get());
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (const auto& edge : found[i]->next_edges()) visit(edge.function.get());
  }
  std::sort(found.begin(), found.end(), [](auto* a, auto* b) { return a->sequence_nr() < b->sequence_nr(); });
  return found;
}

}  // namespace

/// Runs before a node that may read the memory of weights.
class BucketsNeeded final : public torch::autograd::FunctionPreHook {
 public:
  BucketsNeeded(GatheredWeights& weights, std::vector<std::size_t> needed, std::size_t next)
      : weights_(weights), needed_(std::move(needed)), next_(next) {}
  variable_list operator()(const variable_list& gradients) override {
    weights_.at_node(needed_, next_);
    return gradients;
  }

 private:
  GatheredWeights& weights_;
  const std::vector<std::size_t> needed_;
  const std::size_t next_;
};

void GatheredWeights::backward(const std::vector<Tensor>& roots, const std::vector<Tensor>& gradients) {
  const auto nodes = nodes_behind(roots);
  std::vector<std::vector<std::size_t>> needed(nodes.size());
  const auto from = [&](uint64_t number) {
    return std::lower_bound(nodes.begin(), nodes.end(), number,
                            [](const Node* node, uint64_t n) { return node->sequence_nr() < n; }) -
           nodes.begin();
  };
  for (auto& use : uses_) {
    for (auto k = from(use.begin), last = from(use.end); k < last; ++k) {
      use.over = true;
      auto& own = needed[static_cast<std::size_t>(k)];
      if (!contains(own, use.bucket)) own.push_back(use.bucket);
    }
  }
  const std::vector<std::size_t>* then = nullptr;  // needed by the node that runs next
  std::size_t next = kNone;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const auto& own = needed[k];
    if (own.empty()) continue;
    const auto other = then ? std::find_if(then->begin(), then->end(), [&](auto b) { return !contains(own, b); })
                            : std::vector<std::size_t>::const_iterator();
    if (then && other != then->end()) {
      next = *other;
    } else if (next != kNone && contains(own, next)) {
      next = kNone;
    }
    nodes[k]->add_pre_hook(std::make_unique<BucketsNeeded>(*this, own, next));
    then = &own;
  }
  drop_others({}, kNone);
  torch::autograd::backward(roots, gradients);
  drop_others({}, kNone);
  if (computing_ > 0) std::erase_if(uses_, [](const Use& use) { return use.over; });
}

void GatheredWeights::at_node(const std::vector<std::size_t>& needed, std::size_t next) {
  if (announce_) next = kNone;
  drop_others(needed, next);
  for (const auto b : needed) fetch(b);
  if (next != kNone) start(next);
}

}  // namespace tandem::distribute
