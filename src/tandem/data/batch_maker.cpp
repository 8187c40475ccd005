#include "tandem/data/batch_maker.h"

#include <ATen/core/grad_mode.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tandem/core/error.h"
#include "tandem/core/shape.h"
#include "tandem/data/chain.h"
#include "tandem/data/per_device.h"
#include "tandem/data/rethrow_at.h"
#include "tandem/data/tensor_source.h"

namespace tandem::data {
namespace {

void check_rows(const Batch& batch, std::size_t rows, const char* who) {
  const auto check = [&](const Tensor& tensor, const char* what) {
    if (tensor.defined() && tensor.dim() > 0 && tensor.size(0) == static_cast<int64_t>(rows)) return;
    const std::string got = tensor.defined() ? Shape::of(tensor.sizes().vec()).to_string() : "an undefined tensor";
    throw DataError(c10::str(who, " must give ", what, " of ", rows, " rows, got ", got));
  };
  if (batch.x.empty()) throw DataError(c10::str(who, " gave no x"));
  for (const Tensor& one : batch.x) check(one, "x");
  for (const Tensor& one : batch.y) check(one, "y");
  for (const Tensor& one : batch.weights) {
    if (one.defined()) check(one, "weights");
  }
  if (batch.weights.size() > 1 && batch.weights.size() != batch.y.size()) {
    throw DataError(c10::str(who, " must give weights as one tensor, or one for each of ", batch.y.size(),
                             " targets, got ", batch.weights.size()));
  }
}

// Rows that follow one another in memory.
bool is_run(std::span<const int64_t> rows) {
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (rows[i] != rows[i - 1] + 1) return false;
  }
  return !rows.empty();
}

}  // namespace

BatchMaker::BatchMaker(Dataset dataset, int64_t batch_size, int64_t max_batches, RandomStream random, OwnRows own_rows)
    : dataset_(std::move(dataset)), random_(random), own_rows_(std::move(own_rows)) {
  if (!dataset_.source()) throw InvalidArgument("data set: it has no source (a default-made Dataset)");
  batch_size_ = dataset_.batch_size() > 0 ? dataset_.batch_size() : batch_size;
  if (batch_size_ <= 0) throw InvalidArgument(c10::str("data set: the batch size must be positive, got ", batch_size_));
  if (dataset_.size() == 0) throw DataError("data set: it must have at least one row, got none");
  by_device_ = dynamic_cast<const PerDeviceSource*>(dataset_.source().get());
  batches_ = by_device_ ? by_device_->batches(batch_size_, dataset_.drop_remainder()) : dataset_.batches(batch_size_);
  if (batches_ == 0) {
    throw InvalidArgument(c10::str("data set: ", dataset_.size(), " rows make no full batch of ", batch_size_,
                                   " and the remainder is dropped"));
  }
  if (max_batches >= 0) batches_ = std::min(batches_, max_batches);
  in_memory_ = dynamic_cast<const TensorSource*>(dataset_.source().get()) != nullptr;
}

EpochPlan BatchMaker::plan(int64_t epoch, int64_t first_batch) const {
  EpochPlan plan;
  plan.epoch = epoch;
  plan.batch_size = batch_size_;
  if (by_device_) {
    by_device_->lay_out(plan, dataset_, random_);
  } else {
    plan.rows = dataset_.order(epoch, random_);
  }
  plan.first_batch = std::min(first_batch, batches_);
  plan.end_batch = batches_;
  plan.random = random_.fold("rows").fold(static_cast<uint64_t>(epoch));
  return plan;
}

Batch BatchMaker::make(const EpochPlan& plan, int64_t batch, const OwnRows& own_rows) const {
  const at::NoGradGuard no_grad;
  const Part part = part_of(plan, batch, own_rows);
  try {
    Batch made = part.rows.empty() ? Batch() : make_rows(plan, part.rows);
    if (by_device_) made.division = plan.divisions[static_cast<std::size_t>(batch)];
    made.first_row = part.first;
    made.batch_rows = part.all;
    return made;
  } catch (...) {
    fail(plan, batch, part.rows);
  }
}

BatchMaker::Part BatchMaker::part_of(const EpochPlan& plan, int64_t batch, const OwnRows& own_rows) const {
  const auto rows = plan.rows_of(batch);
  if (!own_rows || by_device_) return {rows};
  const auto all = static_cast<int64_t>(rows.size());
  const auto [begin, end] = own_rows(all);
  return {rows.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)), begin, all};
}

Batch BatchMaker::make_rows(const EpochPlan& plan, std::span<const int64_t> rows) const {
  const auto& transforms = dataset_.transforms();
  if (in_memory_ && transforms.empty() && is_run(rows)) {
    return dataset_.source()->all().slice(rows.front(), rows.back() + 1);
  }
  Batch batch = dataset_.source()->get(rows);
  check_rows(batch, rows.size(), "the source");
  if (transforms.empty()) return batch;
  std::vector<RandomStream> streams;
  streams.reserve(rows.size());
  for (const int64_t row : rows) streams.push_back(plan.random.fold(static_cast<uint64_t>(row)));
  batch = apply_chain(transforms, std::move(batch), streams);
  check_rows(batch, rows.size(), "the transforms");
  return batch;
}

// Makes the batch's rows one by one to find the one that fails; when each alone succeeds, the batch is to blame.
void BatchMaker::fail(const EpochPlan& plan, int64_t batch, std::span<const int64_t> rows) const {
  const std::string where = c10::str("batch ", batch, " of epoch ", plan.epoch);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    try {
      make_rows(plan, rows.subspan(i, 1));
    } catch (...) {
      rethrow_at(c10::str(where, ", row ", rows[i]));
    }
  }
  rethrow_at(where);
}

}  // namespace tandem::data
