#include "tandem/data/to_categorical.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"

namespace tandem {

Tensor to_categorical(const Tensor& labels, int64_t classes) {
  if (!labels.defined() || labels.numel() == 0)
    throw InvalidArgument("to_categorical: there must be at least one label, got none");
  auto sizes = labels.sizes().vec();
  if (sizes.size() > 1 && sizes.back() == 1) sizes.pop_back();
  const Tensor flat = labels.detach().to(at::kCPU, at::kLong).reshape({-1});
  if (classes < 0) classes = flat.max().item<int64_t>() + 1;
  sizes.push_back(classes);
  Tensor rows = at::zeros(sizes, at::kFloat);
  const auto* label = flat.const_data_ptr<int64_t>();
  auto* out = rows.mutable_data_ptr<float>();
  for (int64_t row = 0; row < flat.numel(); ++row) {
    if (label[row] < 0 || label[row] >= classes) {
      throw InvalidArgument(
          c10::str("to_categorical: labels must be 0 to ", classes - 1, ", got ", label[row], " in row ", row));
    }
    out[row * classes + label[row]] = 1;
  }
  return rows;
}

}  // namespace tandem
