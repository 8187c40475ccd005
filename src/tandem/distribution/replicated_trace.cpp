// Replicated: when layers compute, by rank.
#include <c10/util/StringUtil.h>

#include "tandem/distribution/replicated.h"

namespace tandem::distribute {

void Replicated::record_trace(bool on) {
  if (on) {
    traces_.clear();
    for (int64_t r = 0; r < ranks(); ++r) {
      const auto& device = how_.devices[r / ranks_per_device()];
      traces_.emplace_back(
          ranks() == how_.devices.size() ? device.to_string() : c10::str(device.to_string(), " shard ", r),
          replicas_[static_cast<std::size_t>(r)]->gathered());
    }
  }
  if (how_.host) how_.host->record_trace(on);
  for (std::size_t r = 0; r < replicas_.size(); ++r) replicas_[r]->trace = on ? &traces_[r] : nullptr;
}

std::vector<TraceSpan> Replicated::trace() const {
  std::vector<TraceSpan> all = spans_of(traces_);
  if (how_.host) {
    const auto spans = how_.host->trace();
    all.insert(all.end(), spans.begin(), spans.end());
  }
  return all;
}

}  // namespace tandem::distribute
