#include "tandem/data/batch_check.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <string>

#include "tandem/core/error.h"
#include "tandem/core/shape.h"

namespace tandem::data {
namespace {

void check_tensor(Tensor& tensor, const std::string& name, int64_t rows) {
  if (!tensor.defined()) throw DataError(c10::str(name, " is an undefined tensor"));
  const auto shape = Shape::of(tensor.sizes().vec());
  if (tensor.dim() == 0 || tensor.size(0) == 0)
    throw DataError(c10::str(name, " must have at least one row, on its first axis, got shape ", shape));
  if (!tensor.device().is_cpu())
    throw DataError(c10::str(name, " must be on the CPU, got ", tensor.device(), "; call .cpu() first"));
  if (rows >= 0 && tensor.size(0) != rows)
    throw DataError(c10::str(name, " must have the rows of x[0], ", rows, ", got shape ", shape));
  tensor = tensor.detach().contiguous();
}

void compare(const Tensors& now, const Tensors& first, const char* what) {
  if (now.size() != first.size()) {
    throw DataError(
        c10::str("must have ", first.size(), " tensors of ", what, " as the first batch had, got ", now.size()));
  }
  for (int64_t i = 0; i < now.size(); ++i) {
    if (now[i].defined() != first[i].defined()) {
      throw DataError(c10::str(what, "[", i, "] must be there in all batches or in none, and was ",
                               first[i].defined() ? "" : "not ", "in the first"));
    }
    if (!now[i].defined() || now[i].dim() == first[i].dim()) continue;
    throw DataError(c10::str(what, "[", i, "] must have ", first[i].dim(), " axes as in the first batch, got shape ",
                             Shape::of(now[i].sizes().vec())));
  }
}

}  // namespace

void BatchCheck::check(Batch& batch) {
  if (batch.x.empty()) throw DataError("must have inputs, got a batch without x");
  int64_t rows = -1;
  const auto check_all = [&](Tensors& tensors, const char* what) {
    for (int64_t i = 0; i < tensors.size(); ++i) {
      check_tensor(tensors[i], c10::str(what, "[", i, "]"), rows);
      if (rows < 0) rows = tensors[i].size(0);
    }
  };
  check_all(batch.x, "x");
  check_all(batch.y, "y");
  if (!batch.weighted()) batch.weights = {};
  for (int64_t i = 0; i < batch.weights.size(); ++i) {
    if (!batch.weights[i].defined()) continue;
    check_tensor(batch.weights[i], c10::str("weights[", i, "]"), rows);
    batch.weights[i] = batch.weights[i].to(at::kFloat);
  }
  if (batch.weights.size() > 1 && batch.weights.size() != batch.y.size()) {
    throw DataError(c10::str("weights must be one tensor, or one for each of ", batch.y.size(), " targets, got ",
                             batch.weights.size()));
  }
  if (!first_) {
    first_ = batch.slice(0, 0);
    return;
  }
  compare(batch.x, first_->x, "x");
  compare(batch.y, first_->y, "y");
  compare(batch.weights, first_->weights, "weights");
}

}  // namespace tandem::data
