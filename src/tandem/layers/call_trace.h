#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "tandem/core/tensor.h"
#include "tandem/core/trace_span.h"
#include "tandem/layers/layer.h"

namespace tandem {

/// Is told when calls of layers begin and end, on the thread that makes them. A call that throws does not end.
class CallWatch {
 public:
  virtual ~CallWatch() = default;
  virtual void call_begins() = 0;
  virtual void call_ends(const Tensors& outputs) = 0;
};

/// Records when layers compute on one device (CallContext::trace). The thread that computes there fills it, without a
/// lock: forward calls as they are made, backward by hooks on the nodes that a call has added to autograd's graph, from
/// the first that runs to the last. A layer that does nothing (Dropout in inference) has no backward span.
class CallTrace {
 public:
  /// `watch` is told of calls, too, or alone where nothing `records`; it must outlive this.
  explicit CallTrace(std::string device, CallWatch* watch = nullptr, bool records = true);

  /// What `call`, a call of `layer` on `inputs`, returns.
  template <class Call>
  Tensors record(const Layer& layer, const Tensors& inputs, const Call& call) {
    const std::size_t span = records_ ? begin(layer) : 0;
    if (watch_) watch_->call_begins();
    Tensors outputs = call();
    if (watch_) watch_->call_ends(outputs);
    if (records_) end(span, layer, inputs, outputs);
    return outputs;
  }

  /// What has been recorded, in the order in which it began; to be asked for while nothing is computed.
  std::vector<TraceSpan> spans() const;

 private:
  std::size_t begin(const Layer& layer);
  void end(std::size_t span, const Layer& layer, const Tensors& inputs, const Tensors& outputs);

  std::string device_;
  CallWatch* watch_;
  bool records_;
  std::shared_ptr<std::vector<TraceSpan>> spans_;  // hooks may outlive the trace
};

/// What all of them recorded, one after the other.
std::vector<TraceSpan> spans_of(const std::vector<CallTrace>& traces);

}  // namespace tandem
