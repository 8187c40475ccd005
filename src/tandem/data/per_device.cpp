#include "tandem/data/per_device.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"
#include "tandem/data/divide_rows.h"

namespace tandem::data {

PerDeviceSource::PerDeviceSource(std::vector<Dataset> parts) : parts_(std::move(parts)), starts_{0} {
  if (parts_.empty()) throw InvalidArgument("PerDevice: must get a data set for each device, got none");
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const auto& part = parts_[i];
    if (!part.source()) throw InvalidArgument(c10::str("PerDevice: data set ", i, " is empty"));
    part.require_rows("PerDevice");
    if (!part.transforms().empty() || part.batch_size() > 0) {
      throw InvalidArgument(
          c10::str("PerDevice: data set ", i, " must have no map and no batch of its own; put them on the whole"));
    }
    starts_.push_back(starts_.back() + part.size());
  }
}

Batch PerDeviceSource::get(std::span<const int64_t> rows) const {
  std::vector<Batch> pieces;
  for (std::size_t i = 0; i < rows.size();) {
    const auto part =
        static_cast<std::size_t>(std::upper_bound(starts_.begin(), starts_.end(), rows[i]) - starts_.begin() - 1);
    if (rows[i] < 0 || part >= parts_.size())
      throw DataError(c10::str("data set: row ", rows[i], " does not exist, it has ", size(), " rows"));
    std::vector<int64_t> own;
    for (; i < rows.size() && rows[i] >= starts_[part] && rows[i] < starts_[part + 1]; ++i)
      own.push_back(rows[i] - starts_[part]);
    pieces.push_back(parts_[part].source()->get(own));
  }
  if (pieces.size() == 1) return pieces.front();
  const auto joined = [&](auto member, const char* what) {
    Tensors all;
    for (int64_t k = 0; k < (pieces.front().*member).size(); ++k) {
      std::vector<Tensor> tensors;
      for (const auto& piece : pieces) {
        if ((piece.*member).size() != (pieces.front().*member).size())
          throw DataError(c10::str("PerDevice: all data sets must have as many ", what, " as the first"));
        tensors.push_back((piece.*member)[k]);
      }
      all.push_back(at::cat(tensors));
    }
    return all;
  };
  Batch whole{joined(&Batch::x, "inputs"), joined(&Batch::y, "targets")};
  // Where one of them has weights all must: rows without would have to be given some.
  const auto weighted = [](const Batch& piece) { return piece.weighted(); };
  if (std::none_of(pieces.begin(), pieces.end(), weighted)) return whole;
  if (!std::all_of(pieces.begin(), pieces.end(), weighted))
    throw DataError("PerDevice: all data sets must have sample weights, or none");
  for (int64_t k = 0; k < pieces.front().weights.size(); ++k) {
    std::vector<Tensor> tensors;
    for (const auto& piece : pieces) {
      if (piece.weights.size() != pieces.front().weights.size() ||
          piece.weights[k].defined() != pieces.front().weights[k].defined())
        throw DataError("PerDevice: all data sets must have sample weights for the same outputs");
      tensors.push_back(piece.weights[k]);
    }
    whole.weights.push_back(tensors.front().defined() ? at::cat(tensors) : Tensor());
  }
  return whole;
}

std::vector<int64_t> PerDeviceSource::shares(int64_t batch_size) const {
  const auto n = static_cast<int64_t>(parts_.size());
  if (batch_size < n)
    throw InvalidArgument(c10::str("PerDevice: a batch must hold a row for each of ", n, " devices, got ", batch_size));
  return divide_rows(batch_size, n);
}

int64_t PerDeviceSource::batches(int64_t batch_size, bool drop_remainder) const {
  const auto share = shares(batch_size);
  int64_t most = 0, full = INT64_MAX;
  for (std::size_t d = 0; d < parts_.size(); ++d) {
    most = std::max(most, (rows(d) + share[d] - 1) / share[d]);
    full = std::min(full, rows(d) / share[d]);
  }
  return drop_remainder ? full : most;
}

void PerDeviceSource::lay_out(EpochPlan& plan, const Dataset& whole, const RandomStream& random) const {
  std::vector<std::vector<int64_t>> orders;
  for (std::size_t d = 0; d < parts_.size(); ++d) {
    Dataset part = parts_[d];
    for (const auto& step : whole.order_steps()) {
      if (step.kind != Dataset::OrderStep::Kind::shuffle)
        throw InvalidArgument("PerDevice: take works on its parts, not on the whole");
      part = part.shuffle(step.seed);
    }
    orders.push_back(part.order(plan.epoch, random.fold("device").fold(d)));
  }
  const auto share = shares(plan.batch_size);
  const int64_t count = batches(plan.batch_size, whole.drop_remainder());
  plan.rows.clear();
  plan.edges = {0};
  plan.divisions.clear();
  for (int64_t b = 0; b < count; ++b) {
    auto& division = plan.divisions.emplace_back();
    for (std::size_t d = 0; d < parts_.size(); ++d) {
      const int64_t first = std::min(b * share[d], rows(d)), end = std::min(first + share[d], rows(d));
      for (int64_t i = first; i < end; ++i) plan.rows.push_back(starts_[d] + orders[d][static_cast<std::size_t>(i)]);
      division.push_back(end - first);
    }
    plan.edges.push_back(static_cast<int64_t>(plan.rows.size()));
  }
}

}  // namespace tandem::data

namespace tandem {

PerDevice::PerDevice(std::vector<Dataset> parts) : Dataset(std::make_shared<data::PerDeviceSource>(std::move(parts))) {}

}  // namespace tandem
