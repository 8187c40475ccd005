#include "tandem/data/generator_source.h"

#include <utility>

#include "tandem/core/error.h"

namespace tandem::data {

std::optional<Batch> BatchStream::take() {
  if (!back_.empty()) {
    Batch batch = std::move(back_.front());
    back_.pop_front();
    return batch;
  }
  if (ended_) return std::nullopt;
  auto batch = next_();
  ended_ = !batch;
  return batch;
}

GeneratorSource::GeneratorSource(std::function<NextBatch(int64_t pass)> passes) : passes_(std::move(passes)) {
  if (!passes_) throw InvalidArgument("BatchGenerator: the function that begins a pass must not be empty");
}

GeneratorSource::GeneratorSource(NextBatch stream) {
  if (!stream) throw InvalidArgument("BatchGenerator: the function that gives batches must not be empty");
  stream_ = std::make_shared<BatchStream>(std::move(stream));
}

std::shared_ptr<BatchStream> GeneratorSource::open(int64_t pass, bool keep) const {
  if (stream_) return stream_;
  {
    const std::lock_guard lock(mutex_);
    const auto kept = std::exchange(kept_, nullptr);
    if (kept && kept_pass_ == pass) {
      if (keep) kept_ = kept;
      return kept;
    }
  }
  auto next = passes_(pass);
  if (!next) throw InvalidArgument("BatchGenerator: a pass must be given a function that is not empty");
  auto opened = std::make_shared<BatchStream>(std::move(next));
  const std::lock_guard lock(mutex_);
  if (keep) {
    kept_ = opened;
    kept_pass_ = pass;
  }
  return opened;
}

Batch GeneratorSource::get(std::span<const int64_t>) const {
  throw InvalidArgument("data set: a BatchGenerator gives whole batches, its rows cannot be asked for by number");
}

}  // namespace tandem::data
