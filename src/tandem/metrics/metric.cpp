#include "tandem/metrics/metric.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/losses/targets.h"

namespace tandem {

void Metric::update_with_logits(const Tensor& /*y_true*/, const Tensor& /*y_pred*/, const Tensor& /*logits*/,
                                const Tensor& /*sample_weight*/) {
  throw InternalError(c10::str("metric ", class_name(), ": has no form for logits"));
}

Tensor Metric::results() const { return at::scalar_tensor(result(), at::kDouble); }

void Metric::reset() {
  for (Tensor& state : states()) state.zero_();
}

void Metric::merge(const Metric& other) {
  std::vector<Tensor> mine = states();
  const std::vector<Tensor> theirs = other.states();
  if (mine.size() != theirs.size() || class_name() != other.class_name()) {
    throw InternalError(c10::str("metric ", class_name(), ": merges only with its replicas, got ", other.class_name()));
  }
  for (std::size_t i = 0; i < mine.size(); ++i) {
    if (theirs[i].numel() == 0) continue;  // that replica has seen no row
    if (mine[i].numel() == 0) mine[i].resize_(theirs[i].sizes()).zero_();
    if (mine[i].sizes() != theirs[i].sizes()) {
      throw InvalidArgument(c10::str("metric ", name(), ": all rows must have as many values, got states ",
                                     shape_text(mine[i]), " and ", shape_text(theirs[i])));
    }
    mine[i].add_(theirs[i]);
  }
}

}  // namespace tandem
