#pragma once
#include <ATen/core/ivalue.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tandem/layers/call_context.h"
#include "tandem/layers/weight.h"
#include "tandem/network/divided_graph.h"

namespace tandem::distribute {

/// One call of a segment on the rows of several replicas together, and the way back. Rows lie in the order of ranks.
class HostCall final : public torch::CustomClassHolder {
 public:
  /// `rows`: by rank; ranks without any take no part. `wanted`: of the segment's writes those whose logits matter.
  HostCall(const Segment& segment, std::vector<int64_t> rows, std::vector<std::size_t> wanted);

  /// "layer 'dense' on the host"
  static std::string name_of(const Segment& segment);
  std::string name() const { return name_of(segment_); }

  /// `given`: by rank, what the segment reads. `context`: the graph's, for the whole batch.
  void forward(const std::vector<std::vector<Tensor>>& given, CallContext context, bool differentiable);
  /// A rank's rows of what the segment wrote, then of logits behind those of logits_of(), then losses that layers
  /// added, which are means over the rows of all; detached.
  std::vector<Tensor> results(std::size_t rank) const;
  /// Figures that layers added, means over the rows of all.
  const std::vector<std::pair<std::string, Tensor>>& figures() const { return figures_; }
  /// Positions among the segment's writes whose logits are known.
  const std::vector<std::size_t>& logits_of() const { return logits_of_; }

  /// `gradients`: by rank, of its results; undefined where there is none.
  void backward(const std::vector<std::vector<Tensor>>& gradients);
  /// Of what the rank gave; after backward.
  std::vector<Tensor> input_gradients(std::size_t rank) const;

 private:
  Tensor rows_of(const Tensor& whole, std::size_t rank) const { return whole.narrow(0, edges_[rank], rows_[rank]); }

  const Segment& segment_;
  const std::vector<int64_t> rows_;
  std::vector<int64_t> edges_;
  const std::vector<std::size_t> wanted_;
  std::vector<std::size_t> logits_of_;
  std::vector<Tensor> leaves_, written_, logits_, losses_;
  std::vector<std::pair<std::string, Tensor>> figures_;
};

}  // namespace tandem::distribute
