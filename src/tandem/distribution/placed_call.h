#pragma once
#include <ATen/ThreadLocalState.h>
#include <ATen/core/ivalue.h>

#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "tandem/distribution/placed_devices.h"
#include "tandem/layers/call_context.h"
#include "tandem/network/divided_graph.h"

namespace tandem::distribute {

/// One call of a divided graph, which backward goes back through once. Each segment has an autograd graph of its own,
/// from leaves in place of what it reads to what it writes, and goes through it on its device's thread.
class PlacedCall final : public torch::CustomClassHolder {
 public:
  /// `divided` must outlive the call. `differentiable`: backward will come, perhaps.
  PlacedCall(PlacedDevices& devices, const DividedGraph& divided, const std::vector<Tensor>& inputs,
             const CallContext& context, bool differentiable);

  void forward();
  /// The graph's outputs that a segment has made, then logits behind them, then losses that layers added; detached.
  std::vector<Tensor> results() const;
  /// Positions among the graph's outputs of the first of results(), and those whose logits follow.
  const std::vector<std::size_t>& made_outputs() const { return made_outputs_; }
  const std::vector<std::size_t>& logits_of() const { return logits_of_; }

  /// Gradients of the inputs, for those of results(); undefined where there is none.
  std::vector<Tensor> backward(const std::vector<Tensor>& gradients);

 private:
  struct Run {  // of one segment
    std::vector<Tensor> leaves, written;
    std::vector<Tensor> gradients;  // of the leaves
    LogitsRecord logits;
    AddedLosses losses;
    std::vector<std::pair<Tensor, Tensor>> roots;  // of backward, with their gradients, given from outside
  };
  void forward_segment(std::size_t s);
  void backward_segment(std::size_t s);
  void find_results();
  void run(bool backward);
  Tensor gradient_of(std::size_t value, std::size_t place) const;

  PlacedDevices& devices_;
  const DividedGraph& divided_;
  CallContext context_;
  bool differentiable_, spent_ = false;
  at::ThreadLocalState state_;      // of the calling thread: precision, for instance
  std::vector<Tensor> values_;      // by number; what a segment wrote has its history
  std::vector<Tensor> outside_;     // by number: gradients from outside
  std::vector<std::size_t> maker_;  // by number: the segment, or the number of segments for an input
  std::vector<std::vector<std::pair<std::size_t, std::size_t>>> readers_;  // by number: segment and its leaf
  std::vector<Run> runs_;
  std::vector<std::size_t> made_outputs_, logits_of_;
};

}  // namespace tandem::distribute
