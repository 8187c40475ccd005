#include "tandem/data/data_loader.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/data/loader.h"

namespace tandem::data {
namespace {

Dataset arranged(const Dataset& dataset, const DataLoader::Options& options) {
  Dataset arranged = dataset;
  if (options.sampler) {
    if (options.shuffle)
      throw InvalidArgument("DataLoader: shuffle must be off beside a sampler, which says for itself");
    arranged = arranged.ordered_by(options.sampler->size(),
                                   [sampler = *options.sampler](int64_t epoch) { return sampler.order(epoch); });
  } else if (options.shuffle) {
    arranged = arranged.shuffle();
  }
  return arranged.batch(options.batch_size, options.drop_last).prefetch(-1, options.workers);
}

}  // namespace

DataLoader::DataLoader(const Dataset& dataset, Options options) : dataset_(arranged(dataset, options)) { batches(); }
DataLoader::~DataLoader() = default;
DataLoader::DataLoader(DataLoader&&) noexcept = default;
DataLoader& DataLoader::operator=(DataLoader&&) noexcept = default;

DataLoader::Epoch DataLoader::epoch(int64_t number, int64_t first_batch) {
  if (number <= state_.epoch) {
    throw InvalidArgument(c10::str("DataLoader: epochs must rise, so that each has an order of its own; got epoch ",
                                   number, " after ", state_.epoch));
  }
  if (first_batch < 0 || first_batch > batches()) {
    throw InvalidArgument(c10::str("DataLoader: first_batch must be from 0 to the number of batches, ", batches(),
                                   ", got ", first_batch));
  }
  // A Loader leaves batches out in its first epoch alone.
  if (!loader_ || first_batch > 0)
    loader_ = std::make_unique<Loader>(dataset_, LoaderOptions{.first_batch = first_batch, .random = random_root()});
  loader_->start_epoch(number);
  state_ = {number, first_batch};
  return Epoch(this);
}

int64_t DataLoader::batches() const { return dataset_.batches(); }

std::optional<Batch> DataLoader::next() {
  auto batch = loader_->next();
  if (batch) ++state_.next_batch;
  return batch;
}

DataLoader::Iterator& DataLoader::Iterator::operator++() {
  batch_ = loader_->next();
  return *this;
}

}  // namespace tandem::data
