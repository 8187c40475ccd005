#pragma once
#include <cstdint>
#include <exception>
#include <memory>

#include "tandem/core/random.h"
#include "tandem/data/batch_check.h"
#include "tandem/data/dataset.h"
#include "tandem/data/generator_source.h"

namespace tandem::data {

/// What asking for a batch gave.
struct GeneratedBatch {
  enum class Kind { batch, end_of_data, enough } kind = Kind::batch;
  Batch given, batch;  // before and after the transforms
  std::exception_ptr error;

  bool usable() const { return !error && kind == Kind::batch; }
};

/// Asks the function behind a BatchGenerator, checks what it gives and applies the transforms; on one thread at a time.
class GeneratedBatches {
 public:
  /// At most `max_batches` an epoch unless that is negative.
  GeneratedBatches(Dataset dataset, int64_t max_batches, const RandomStream& random);

  /// `keep` as GeneratorSource::open.
  void open(int64_t epoch, bool keep);
  bool is_open() const { return stream_ != nullptr; }
  /// Errors are in what it returns, with the numbers of batch and epoch.
  GeneratedBatch make();
  void give_back(Batch given) { stream_->give_back(std::move(given)); }

  const Dataset& dataset() const { return dataset_; }
  bool is_stream() const { return source_.is_stream(); }

 private:
  Batch transformed(const Batch& given);

  const Dataset dataset_;
  const GeneratorSource& source_;
  const int64_t max_batches_;
  const RandomStream random_;
  BatchCheck check_;
  std::shared_ptr<BatchStream> stream_;
  int64_t epoch_ = 0, made_ = 0, rows_ = 0;  // of the epoch
};

}  // namespace tandem::data
