#include "tandem/data/generated_batches.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <c10/util/StringUtil.h>

#include <utility>
#include <vector>

#include "tandem/core/error.h"
#include "tandem/data/chain.h"
#include "tandem/data/rethrow_at.h"

namespace tandem::data {

GeneratedBatches::GeneratedBatches(Dataset dataset, int64_t max_batches, const RandomStream& random)
    : dataset_(std::move(dataset)),
      source_(dynamic_cast<const GeneratorSource&>(*dataset_.source())),
      max_batches_(max_batches),
      random_(random) {}

void GeneratedBatches::open(int64_t epoch, bool keep) {
  epoch_ = epoch;
  made_ = rows_ = 0;
  try {
    stream_ = source_.open(epoch, keep);
  } catch (...) {
    rethrow_at(c10::str("epoch ", epoch));
  }
}

GeneratedBatch GeneratedBatches::make() {
  GeneratedBatch made;
  if (max_batches_ >= 0 && made_ == max_batches_) {
    made.kind = GeneratedBatch::Kind::enough;
    return made;
  }
  const at::NoGradGuard no_grad;
  try {
    try {
      auto given = stream_->take();
      if (!given) {
        made.kind = GeneratedBatch::Kind::end_of_data;
        return made;
      }
      check_.check(*given);
      made.given = std::move(*given);
      made.batch = transformed(made.given);
    } catch (...) {
      rethrow_at(c10::str("batch ", made_, " of epoch ", epoch_));
    }
  } catch (...) {
    made.error = std::current_exception();
  }
  ++made_;
  return made;
}

// Transforms may write to what they get, which must stay as it was given.
Batch GeneratedBatches::transformed(const Batch& given) {
  if (dataset_.transforms().empty()) return given;
  Batch own = given;
  for (auto* tensors : {&own.x, &own.y, &own.weights}) {
    for (Tensor& one : *tensors) one = one.defined() ? one.clone() : one;
  }
  std::vector<RandomStream> streams;
  const RandomStream random = random_.fold("rows").fold(static_cast<uint64_t>(epoch_));
  for (int64_t i = 0; i < given.rows(); ++i) streams.push_back(random.fold(static_cast<uint64_t>(rows_++)));
  Batch batch = apply_chain(dataset_.transforms(), std::move(own), streams);
  if (batch.rows() != given.rows())
    throw DataError(c10::str("the transforms must give ", given.rows(), " rows, got ", batch.rows()));
  return batch;
}

}  // namespace tandem::data
