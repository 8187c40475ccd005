#include "tandem/metrics/metric.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"

namespace tandem {

void Metric::reset() {
  for (Tensor& state : states()) state.zero_();
}

void Metric::merge(const Metric& other) {
  const std::vector<Tensor> mine = states(), theirs = other.states();
  if (mine.size() != theirs.size() || class_name() != other.class_name()) {
    throw InternalError(c10::str("metric ", class_name(), ": merges only with its replicas, got ", other.class_name()));
  }
  for (std::size_t i = 0; i < mine.size(); ++i) mine[i].add_(theirs[i]);
}

}  // namespace tandem
