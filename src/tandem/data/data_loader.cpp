#include "tandem/data/data_loader.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <span>
#include <utility>

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

DataLoader::DataLoader(const Dataset& dataset, Options options)
    : whole_(dataset), dataset_(arranged(dataset, options)), options_(std::move(options)), random_(random_root()) {
  batches();
}
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
    loader_ = std::make_unique<Loader>(dataset_, LoaderOptions{.first_batch = first_batch, .random = random_});
  loader_->start_epoch(number);
  state_ = {number, first_batch};
  first_batch_ = first_batch;
  receipt_ = {.epoch = number, .batches = first_batch, .batches_due = batches()};
  return Epoch(this);
}

// Batches of rows are full but for the last, so places in the order tell how much there was before a resume.
Receipt DataLoader::receipt() const {
  Receipt whole = receipt_;
  if (whole.epoch < 0) return whole;
  const auto share = this->share(whole.epoch);
  whole.all = sum_of(share.all);
  whole.left_out = sum_of(share.left_out);
  const auto before = static_cast<std::size_t>(first_batch_ * options_.batch_size);
  const auto rows = std::min(before, share.rows.size());
  whole.earlier = sum_of(std::span(share.rows).first(rows));
  whole.padding += sum_of(std::span(share.padding).first(std::min(before - rows, share.padding.size())));
  return whole;
}

Share DataLoader::share(int64_t epoch) const {
  Share share{.all = whole_.order(epoch, random_), .rows = dataset_.order(epoch, random_)};
  const auto padding = static_cast<std::ptrdiff_t>(options_.sampler ? options_.sampler->padding() : 0);
  share.padding.assign(share.rows.end() - padding, share.rows.end());
  share.rows.resize(share.rows.size() - share.padding.size());
  if (options_.sampler) {
    for (const auto place : options_.sampler->left_out(epoch))
      share.left_out.push_back(share.all[static_cast<std::size_t>(place)]);
  }
  // A short last batch that is left out.
  auto too_many = static_cast<int64_t>(share.rows.size() + share.padding.size()) - batches() * options_.batch_size;
  for (; too_many > 0 && !share.padding.empty(); --too_many) share.padding.pop_back();
  for (; too_many > 0; --too_many) {
    share.left_out.push_back(share.rows.back());
    share.rows.pop_back();
  }
  return share;
}

int64_t DataLoader::batches() const { return dataset_.batches(); }

std::optional<Batch> DataLoader::next() {
  auto batch = loader_->next();
  if (!batch) return batch;
  ++state_.next_batch;
  ++receipt_.batches;
  const int64_t padding = options_.sampler ? options_.sampler->padding() : 0;
  const int64_t due = std::min(dataset_.size() - padding, batches() * options_.batch_size);
  const int64_t earlier = std::min(first_batch_ * options_.batch_size, due);
  for (const auto row : loader_->rows())
    (earlier + receipt_.served.count < due ? receipt_.served : receipt_.padding).add(row);
  return batch;
}

DataLoader::Iterator& DataLoader::Iterator::operator++() {
  batch_ = loader_->next();
  return *this;
}

}  // namespace tandem::data
