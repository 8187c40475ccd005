#include "tandem/distribution/host_part.h"

#include <ATen/ThreadLocalState.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <future>

#include "tandem/core/error.h"
#include "tandem/network/flat_graph.h"
#include "tandem/network/graph_within.h"
#include "tandem/network/scoped_devices.h"

namespace tandem::distribute {

std::optional<Device> host_scope(const Network& network) {
  if (!graph_within(network)) return {};
  std::optional<Device> host;
  bool others = false;
  for (const auto& device : scoped_devices(network)) {
    if (!device || device->kind != Device::Kind::cpu) {
      others = true;
    } else if (host) {
      return {};
    } else {
      host = device;
    }
  }
  return others ? host : std::nullopt;
}

HostPart::HostPart(const Network& network, const Device& host, int64_t ranks)
    : host_(host),
      meeting_(ranks),
      all_weights_(network.weights()),
      weights_(all_weights_, {c10::kCPU}),
      thread_({"host"}, available_cores()) {
  for (int64_t r = 0; r < ranks; ++r) ranks_.emplace_back(*this, static_cast<std::size_t>(r));
  for (const auto& step : flatten_graph(*graph_within(network)).steps) {
    if (step.device != host) continue;
    for (const auto& w : step.layer->weights()) own_weights_.push_back(w);
  }
  for (const auto& w : own_weights_) weights_.need(0, w);
}

bool HostPart::computes(const Weight& weight) const {
  return std::find(own_weights_.begin(), own_weights_.end(), weight) != own_weights_.end();
}

void HostPart::begin(const std::vector<int64_t>& rows) {
  rows_ = rows;
  std::vector<bool> come;
  for (auto n : rows) come.push_back(n > 0);
  leader_ = static_cast<std::size_t>(std::find(come.begin(), come.end(), true) - come.begin());
  meeting_.expect(std::move(come));
  for (auto& rank : ranks_) {
    rank.offered_.clear();
    rank.call_ = {};
  }
}

void HostPart::record_trace(bool on) {
  if (on) trace_.emplace("host");
  tracing_ = on;
}

std::vector<TraceSpan> HostPart::trace() const { return trace_ ? trace_->spans() : std::vector<TraceSpan>{}; }

// On the host's thread, with what this thread has set for LibTorch (precision, for instance).
void HostPart::on_host(const std::function<void()>& work) {
  std::promise<void> done;
  const at::ThreadLocalState state;
  thread_.start(0, [&] {
    try {
      const at::ThreadLocalStateGuard as_there(state);
      work();
      done.set_value();
    } catch (...) {
      done.set_exception(std::current_exception());
    }
  });
  done.get_future().get();
}

// Statistics were changed in host memory, the leader's own where it computes on a CPU; the replicas that wait have
// them, too.
void HostPart::share_statistics(const Segment& segment) {
  c10::NoGradGuard no_grad;
  for (const auto& step : segment.steps) {
    for (const auto& w : step.layer->weights()) {
      if (w.trainable()) continue;
      const Tensor& value = weights_.of(0).at(&w.variable());
      for (std::size_t r = leader_; r < ranks_.size(); ++r) {
        if (rows_[r] == 0) continue;
        Tensor own = ranks_[r].weights_->at(&w.variable());
        if (!own.is_same(value)) own.copy_(value);
      }
    }
  }
}

std::vector<std::vector<Tensor>> HostPart::offers() const {
  std::vector<std::vector<Tensor>> all;
  for (const auto& rank : ranks_) all.push_back(rank.offered_);
  return all;
}

const DividedGraph& HostPart::Rank::divided(const Graph& graph) {
  auto& known = known_[&graph];
  if (known.graph.lock().get() != &graph) {
    known.divided = divide_graph(
        graph, [&](const std::optional<Device>& scope) { return static_cast<std::size_t>(scope == part_.host_); });
    known.graph = graph.weak_from_this();
  }
  return known.divided;
}

std::vector<Tensor> HostPart::Rank::forward(const Segment& segment, const std::vector<std::size_t>& wanted,
                                            std::vector<Tensor> given, const CallContext& context,
                                            bool differentiable) {
  for (const auto& value : given) bytes += static_cast<int64_t>(value.nbytes());
  offered_ = std::move(given);
  part_.meeting_.meet(static_cast<int64_t>(rank_), HostCall::name_of(segment), [&] {
    auto call = c10::make_intrusive<HostCall>(segment, part_.rows_, wanted);
    CallContext whole = context;
    whole.first_row = context.first_row;
    for (std::size_t r = part_.leader_; r < rank_; ++r) whole.first_row -= part_.rows_[r];
    whole.trace = part_.tracing_ ? &*part_.trace_ : nullptr;
    if (context.states) whole.states = &part_.states_;  // the last to come may be another replica each time
    part_.on_host([&] {
      const WeightScope weights(part_.weights_.of(0));
      call->forward(part_.offers(), whole, differentiable);
    });
    if (context.training) part_.share_statistics(segment);
    for (auto& rank : part_.ranks_) {
      rank.offered_.clear();
      rank.call_ = call;
    }
  });
  auto results = call_->results(rank_);
  for (const auto& value : results) bytes += static_cast<int64_t>(value.nbytes());
  return results;
}

std::vector<Tensor> HostPart::Rank::backward(const c10::intrusive_ptr<HostCall>& call, std::vector<Tensor> gradients) {
  offered_ = std::move(gradients);
  for (const auto& gradient : offered_) {
    if (gradient.defined()) bytes += static_cast<int64_t>(gradient.nbytes());
  }
  part_.meeting_.meet(static_cast<int64_t>(rank_), c10::str("gradients of ", call->name()), [&] {
    part_.on_host([&] { call->backward(part_.offers()); });
    for (auto& rank : part_.ranks_) rank.offered_.clear();
  });
  std::vector<Tensor> all(trained_.size());
  if (leads()) all = part_.weights_.take_gradients();
  for (auto& gradient : call->input_gradients(rank_)) {
    if (gradient.defined()) bytes += static_cast<int64_t>(gradient.nbytes());
    all.push_back(std::move(gradient));
  }
  return all;
}

}  // namespace tandem::distribute
