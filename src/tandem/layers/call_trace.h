#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "tandem/core/tensor.h"
#include "tandem/core/trace_span.h"
#include "tandem/layers/layer.h"

namespace tandem {

/// Records when layers compute on one device (CallContext::trace). The thread that computes there fills it, without a
/// lock: forward calls as they are made, backward by hooks on the nodes that a call has added to autograd's graph, from
/// the first that runs to the last. A layer that does nothing (Dropout in inference) has no backward span.
class CallTrace {
 public:
  explicit CallTrace(std::string device);

  /// What `call`, a call of `layer` on `inputs`, returns.
  template <class Call>
  Tensors record(const Layer& layer, const Tensors& inputs, const Call& call) {
    const std::size_t span = begin(layer);
    Tensors outputs = call();
    end(span, layer, inputs, outputs);
    return outputs;
  }

  /// What has been recorded, in the order in which it began; to be asked for while nothing is computed.
  std::vector<TraceSpan> spans() const;

 private:
  std::size_t begin(const Layer& layer);
  void end(std::size_t span, const Layer& layer, const Tensors& inputs, const Tensors& outputs);

  std::string device_;
  std::shared_ptr<std::vector<TraceSpan>> spans_;  // hooks may outlive the trace
};

/// What all of them recorded, one after the other.
std::vector<TraceSpan> spans_of(const std::vector<CallTrace>& traces);

}  // namespace tandem
