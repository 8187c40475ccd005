#include "tandem/data/from_span.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"

namespace tandem::data {

Tensor tensor_over(const void* values, int64_t count, at::ScalarType type, const Shape& row,
                   std::shared_ptr<const void> owner) {
  const int64_t width = row.count();
  if (width <= 0 || count % width != 0) {
    throw InvalidArgument(c10::str("from_span: the values must fill whole rows of shape ", row, ", got ", count,
                                   " values for rows of ", width));
  }
  if (count == 0) return at::empty(row.with_batch(0).sizes(), type);
  return at::from_blob(
      const_cast<void*>(values), row.with_batch(count / width).sizes(),
      [owner = std::move(owner)](void*) mutable { owner.reset(); }, type);
}

}  // namespace tandem::data
