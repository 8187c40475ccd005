#include "tandem/training/row_collector.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/core/shape.h"

namespace tandem {

void RowCollector::add(const Tensors& outputs) {
  const int64_t rows = outputs.front().size(0);
  for (int64_t i = 0; i < outputs.size(); ++i) {
    const Tensor& part = outputs[i];
    if (rows_ < 0) {
      if (done_ == 0) parts_.emplace_back();
      auto& parts = parts_[static_cast<std::size_t>(i)];
      if (!parts.empty() && parts.front().sizes().slice(1) != part.sizes().slice(1)) {
        throw InvalidArgument(c10::str("predict: rows of output ", i, " must have the sizes of the first batch's, ",
                                       Shape::of(parts.front().sizes().vec()), ", got ", Shape::of(part.sizes().vec()),
                                       "; predict on each batch by itself"));
      }
      parts.push_back(part);
      continue;
    }
    if (done_ == 0) {
      auto sizes = part.sizes().vec();
      sizes[0] = rows_;
      whole_.push_back(at::empty(sizes, part.options()));
    }
    whole_[i].slice(0, done_, done_ + rows).copy_(part);
  }
  done_ += rows;
}

Tensors RowCollector::all() {
  Tensors all;
  for (const auto& parts : parts_) all.push_back(at::cat(parts));
  // With a remainder dropped fewer rows were served than there are.
  for (const auto& whole : whole_) all.push_back(done_ == rows_ ? whole : whole.slice(0, 0, done_).contiguous());
  return all;
}

}  // namespace tandem
