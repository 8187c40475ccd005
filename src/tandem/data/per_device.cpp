#include "tandem/data/per_device.h"

#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"
#include "tandem/data/divide_rows.h"

namespace tandem::data {

PerDeviceSource::PerDeviceSource(std::vector<Dataset> parts) : ConcatenatedSource(std::move(parts), "PerDevice") {
  if (this->parts().empty()) throw InvalidArgument("PerDevice: must get a data set for each device, got none");
}

std::vector<int64_t> PerDeviceSource::shares(int64_t batch_size) const {
  const auto n = static_cast<int64_t>(parts().size());
  if (batch_size < n)
    throw InvalidArgument(c10::str("PerDevice: a batch must hold a row for each of ", n, " devices, got ", batch_size));
  return divide_rows(batch_size, n);
}

int64_t PerDeviceSource::batches(int64_t batch_size, bool drop_remainder) const {
  const auto share = shares(batch_size);
  int64_t most = 0, full = INT64_MAX;
  for (std::size_t d = 0; d < parts().size(); ++d) {
    most = std::max(most, (rows(d) + share[d] - 1) / share[d]);
    full = std::min(full, rows(d) / share[d]);
  }
  return drop_remainder ? full : most;
}

void PerDeviceSource::lay_out(EpochPlan& plan, const Dataset& whole, const RandomStream& random) const {
  std::vector<std::vector<int64_t>> orders;
  for (std::size_t d = 0; d < parts().size(); ++d) {
    Dataset part = parts()[d];
    for (const auto& step : whole.order_steps()) {
      if (step.kind != Dataset::OrderStep::Kind::shuffle)
        throw InvalidArgument("PerDevice: take works on its parts, not on the whole");
      part = part.shuffle(step.seed);
    }
    orders.push_back(part.order(plan.epoch, random.fold("device").fold(d)));
    for (const auto row : orders.back()) {
      if (row >= rows(d))
        throw InvalidArgument(c10::str("PerDevice: data set ", d, " must be cut by take before it is shuffled"));
    }
  }
  const auto share = shares(plan.batch_size);
  const int64_t count = batches(plan.batch_size, whole.drop_remainder());
  plan.rows.clear();
  plan.edges = {0};
  plan.divisions.clear();
  for (int64_t b = 0; b < count; ++b) {
    auto& division = plan.divisions.emplace_back();
    for (std::size_t d = 0; d < parts().size(); ++d) {
      const int64_t first = std::min(b * share[d], rows(d)), end = std::min(first + share[d], rows(d));
      for (int64_t i = first; i < end; ++i) plan.rows.push_back(start(d) + orders[d][static_cast<std::size_t>(i)]);
      division.push_back(end - first);
    }
    plan.edges.push_back(static_cast<int64_t>(plan.rows.size()));
  }
}

}  // namespace tandem::data

namespace tandem {

PerDevice::PerDevice(std::vector<Dataset> parts) : Dataset(std::make_shared<data::PerDeviceSource>(std::move(parts))) {}

}  // namespace tandem
