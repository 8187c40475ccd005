#include "tandem/distribution/replica_rows.h"

#include <utility>

namespace tandem::distribute {
namespace {

bool same_tensor(const Tensor& a, const Tensor& b) {
  if (!a.defined() || !b.defined()) return a.defined() == b.defined();
  return a.const_data_ptr() == b.const_data_ptr() && a.sizes() == b.sizes() && a.strides() == b.strides() &&
         a.scalar_type() == b.scalar_type();
}

bool same_tensors(const Tensors& a, const Tensors& b) {
  if (a.size() != b.size()) return false;
  for (int64_t i = 0; i < a.size(); ++i) {
    if (!same_tensor(a[i], b[i])) return false;
  }
  return true;
}

bool same_rows(const data::Batch& a, const data::Batch& b) {
  return same_tensors(a.x, b.x) && same_tensors(a.y, b.y) && same_tensors(a.weights, b.weights);
}

}  // namespace

ReplicaRows::ReplicaRows(c10::Device device) {
  if (!device.is_cpu()) feed_.emplace(device);
}

data::Batch ReplicaRows::bring(data::Batch rows) {
  if (!feed_ || rows.rows() == 0) return rows;
  const data::Batch expected = std::exchange(ahead_, {});
  while (feed_->waiting() > 0) {
    auto sent = feed_->take();
    if (same_rows(expected, rows)) return sent;
  }
  feed_->begin(rows);
  return feed_->take();
}

void ReplicaRows::send_ahead(const data::Batch& rows) {
  if (!feed_ || rows.rows() == 0 || feed_->waiting() > 0) return;
  feed_->begin(rows);
  ahead_ = rows;
}

}  // namespace tandem::distribute
