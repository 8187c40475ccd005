#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "tandem/data/source.h"

namespace tandem::data {

/// Gives one batch after the other; nothing: there are no more.
using NextBatch = std::function<std::optional<Batch>()>;

/// The batches of a pass, asked for by one thread at a time.
class BatchStream {
 public:
  explicit BatchStream(NextBatch next) : next_(std::move(next)) {}

  /// Once the function has given nothing it is not asked again.
  std::optional<Batch> take();
  /// A batch that was taken last and not used is the next one again.
  void give_back(Batch batch) { back_.push_front(std::move(batch)); }

 private:
  NextBatch next_;
  std::deque<Batch> back_;
  bool ended_ = false;
};

/// Batches whose number nobody knows beforehand, in the only order there is: what is behind a BatchGenerator.
class GeneratorSource final : public Source {
 public:
  /// Passes that begin anew.
  explicit GeneratorSource(std::function<NextBatch(int64_t pass)> passes);
  /// One stream, in which every pass goes on where the last one ended.
  explicit GeneratorSource(NextBatch stream);

  /// The batches of pass `pass`. `keep`: those given back are there when the same pass is opened again, next of all.
  std::shared_ptr<BatchStream> open(int64_t pass, bool keep = false) const;
  /// Whether passes are parts of one stream.
  bool is_stream() const { return stream_ != nullptr; }

  int64_t size() const override { return kUnknownSize; }
  Batch get(std::span<const int64_t> rows) const override;
  Batch all() const override { return get({}); }

 private:
  std::function<NextBatch(int64_t pass)> passes_;
  std::shared_ptr<BatchStream> stream_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<BatchStream> kept_;
  mutable int64_t kept_pass_ = 0;
};

}  // namespace tandem::data
