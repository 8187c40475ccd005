#include "tandem/training/look_ahead.h"

#include <utility>

namespace tandem {

void LookAhead::start_epoch(int64_t epoch) {
  drop();
  loader_.start_epoch(epoch);
}

void LookAhead::drop() {
  if (taken_ && batch_) loader_.give_back();
  taken_ = false;
  batch_.reset();
  failure_ = nullptr;
}

void LookAhead::take_one() {
  try {
    batch_ = loader_.next();
  } catch (...) {
    failure_ = std::current_exception();
  }
  taken_ = true;
}

std::optional<data::Batch> LookAhead::next() {
  if (!execution_.looks_ahead()) return loader_.next();
  if (!taken_) take_one();
  taken_ = false;
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  auto batch = std::exchange(batch_, std::nullopt);
  if (!batch) return batch;
  take_one();
  if (batch_) execution_.expect(*batch_);
  return batch;
}

}  // namespace tandem
