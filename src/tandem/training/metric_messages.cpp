// MetricSet: a replica's metrics on their way to other processes.
#include <ATen/ATen.h>

#include "tandem/training/metric_set.h"

namespace tandem {
namespace {

using distribute::PeerMessage;

std::vector<double> sizes_of(const Shape& shape) { return {shape.sizes().begin(), shape.sizes().end()}; }

Shape take_shape(PeerMessage& message) {
  const auto sizes = message.numbers();
  return Shape::of({sizes.begin(), sizes.end()});
}

void take_state(Tensor state, PeerMessage& message) {
  const Tensor values = message.tensor();
  state.resize_(values.sizes()).copy_(values);
}

}  // namespace

void MetricSet::put(const Replica& replica, PeerMessage& message) {
  message.put(static_cast<double>(replica.seen.size()));
  for (const auto& seen : replica.seen) {
    message.put(sizes_of(seen.y_true));
    message.put(sizes_of(seen.y_pred));
  }
  for (const auto& of_output : replica.metrics) {
    for (const auto& metric : of_output) {
      for (const auto& state : metric->states()) message.put(state);
    }
  }
}

MetricSet::Replica MetricSet::take(PeerMessage& message) const {
  Replica replica;
  for (int64_t left = message.integer(); left > 0; --left) {
    auto y_true = take_shape(message), y_pred = take_shape(message);
    replica.seen.push_back({std::move(y_true), std::move(y_pred)});
  }
  if (replica.seen.empty()) return replica;
  replica.metrics = make(replica.seen);
  for (const auto& of_output : replica.metrics) {
    for (const auto& metric : of_output) {
      for (const auto& state : metric->states()) take_state(state, message);
    }
  }
  return replica;
}

}  // namespace tandem
