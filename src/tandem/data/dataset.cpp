#include "tandem/data/dataset.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "tandem/core/error.h"
#include "tandem/data/chain.h"
#include "tandem/data/compose.h"
#include "tandem/data/row_source.h"
#include "tandem/data/tensor_source.h"

namespace tandem {
namespace {

const Tensor& pick(const Tensors& tensors, int64_t i, const char* name) {
  if (i >= 0 && i < tensors.size()) return tensors[i];
  throw InvalidArgument(c10::str("data set: ", name, "(", i, ") does not exist, it has ", tensors.size(), " ", name));
}

// Rows that a function makes.
class FunctionSource : public data::RowSource {
 public:
  using Function = std::function<data::Example(int64_t row)>;

  FunctionSource(int64_t size, Function function) : size_(size), function_(std::move(function)) {
    if (size_ < 0) throw InvalidArgument(c10::str("data set: the number of rows must not be negative, got ", size_));
    if (!function_) throw InvalidArgument("data set: the function that makes rows must not be empty");
  }
  int64_t size() const override { return size_; }
  data::Example row(int64_t i) const override { return function_(i); }

 private:
  int64_t size_;
  Function function_;
};

}  // namespace

Dataset::Dataset(std::shared_ptr<const data::Source> source) : source_(std::move(source)) {
  if (!source_) throw InvalidArgument("data set: the source must not be null");
}

int64_t Dataset::size() const {
  int64_t rows = source_ ? source_->size() : 0;
  for (const OrderStep& step : order_) {
    if (step.kind == OrderStep::Kind::take) rows = std::min(rows, step.count);
    if (step.kind == OrderStep::Kind::given) rows = step.count;
  }
  return rows;
}

void Dataset::require_rows(const char* who) const {
  if (!source_ || source_->size() >= 0) return;
  throw InvalidArgument(c10::str(
      who, ": must get rows that can be asked for by number; a BatchGenerator gives whole batches as they come"));
}

data::Batch Dataset::get(int64_t i) const {
  require_rows("data set: get");
  if (i < 0 || i >= size())
    throw InvalidArgument(c10::str("data set: row ", i, " does not exist, it serves ", size(), " rows"));
  const RandomStream stream = random_root().fold("rows").fold(uint64_t{0}).fold(static_cast<uint64_t>(i));
  return data::apply_chain(transforms_, source_->get(std::span(&i, 1)), std::span(&stream, 1));
}

Dataset Dataset::map(data::TransformHandle transform) const {
  if (transform.empty()) throw InvalidArgument("data set: map was given an empty transform");
  Dataset mapped = *this;
  if (const auto* chain = dynamic_cast<const data::ComposeTransform*>(&*transform)) {
    mapped.transforms_.insert(mapped.transforms_.end(), chain->parts().begin(), chain->parts().end());
  } else {
    mapped.transforms_.push_back(std::move(transform));
  }
  return mapped;
}

Dataset Dataset::shuffle(std::optional<int64_t> seed) const {
  require_rows("data set: shuffle");
  Dataset shuffled = *this;
  shuffled.order_.push_back({.kind = OrderStep::Kind::shuffle, .seed = seed});
  return shuffled;
}

Dataset Dataset::batch(int64_t size, bool drop_remainder) const {
  require_rows("data set: batch");
  if (size <= 0) throw InvalidArgument(c10::str("data set: the batch size must be positive, got ", size));
  Dataset batched = *this;
  batched.batch_size_ = size;
  batched.drop_remainder_ = drop_remainder;
  return batched;
}

Dataset Dataset::prefetch(int64_t batches, int64_t workers) const {
  if (batches < -1)
    throw InvalidArgument(c10::str("data set: prefetch takes a number of batches, or -1, got ", batches));
  if (workers < -1)
    throw InvalidArgument(c10::str("data set: prefetch takes a number of workers, or -1, got ", workers));
  const bool generated = source_ && source_->size() < 0;
  if (generated && workers > 1)
    throw InvalidArgument(c10::str("data set: a BatchGenerator is asked by one worker at a time, got ", workers));
  Dataset ahead = *this;
  ahead.prefetch_batches_ = generated && batches < 0 ? 2 : batches;
  ahead.workers_ = workers;
  return ahead;
}

Dataset Dataset::take(int64_t n) const {
  require_rows("data set: take");
  if (n < 0) throw InvalidArgument(c10::str("data set: take must be given a number of rows, got ", n));
  Dataset taken = *this;
  taken.order_.push_back({.kind = OrderStep::Kind::take, .seed = std::nullopt, .count = n});
  return taken;
}

Dataset Dataset::ordered_by(int64_t count, std::function<std::vector<int64_t>(int64_t epoch)> order) const {
  require_rows("data set: ordered_by");
  if (count < 0 || !order)
    throw InvalidArgument(c10::str("data set: ordered_by must be given a number of rows and a function, got ", count));
  Dataset ordered = *this;
  ordered.order_.push_back({OrderStep::Kind::given, std::nullopt, count, std::move(order)});
  return ordered;
}

Tensor Dataset::x(int64_t i) const { return source_ ? pick(source_->all().x, i, "x") : pick({}, i, "x"); }

Tensor Dataset::y(int64_t i) const { return source_ ? pick(source_->targets(), i, "y") : pick({}, i, "y"); }

bool Dataset::is_shuffled() const {
  return std::any_of(order_.begin(), order_.end(),
                     [](const OrderStep& step) { return step.kind != OrderStep::Kind::take; });
}

int64_t Dataset::batches(int64_t batch_size) const {
  const int64_t size = batch_size_ > 0 ? batch_size_ : batch_size;
  if (size <= 0) throw InvalidArgument(c10::str("data set: the batch size must be positive, got ", size));
  const int64_t rows = this->size();
  if (rows < 0) return -1;
  return drop_remainder_ ? rows / size : rows / size + (rows % size != 0 ? 1 : 0);
}

Dataset Dataset::from(int64_t size, std::function<data::Example(int64_t row)> row) {
  return Dataset(std::make_shared<FunctionSource>(size, std::move(row)));
}

std::vector<int64_t> Dataset::order(int64_t epoch, const RandomStream& random) const {
  std::vector<int64_t> rows(static_cast<std::size_t>(source_ ? source_->size() : 0));
  std::iota(rows.begin(), rows.end(), int64_t{0});
  for (const OrderStep& step : order_) {
    if (step.kind == OrderStep::Kind::take) {
      if (step.count < static_cast<int64_t>(rows.size())) rows.resize(static_cast<std::size_t>(step.count));
      continue;
    }
    if (step.kind == OrderStep::Kind::given) {
      const auto numbers = step.order(epoch);
      if (static_cast<int64_t>(numbers.size()) != step.count) {
        throw InvalidArgument(c10::str("data set: ordered_by must give ", step.count, " rows in each epoch, got ",
                                       numbers.size(), " in epoch ", epoch));
      }
      std::vector<int64_t> chosen;
      for (const auto number : numbers) {
        if (number < 0 || number >= static_cast<int64_t>(rows.size())) {
          throw InvalidArgument(c10::str("data set: ordered_by must give numbers below the ", rows.size(),
                                         " rows there are, got ", number, " in epoch ", epoch));
        }
        chosen.push_back(rows[static_cast<std::size_t>(number)]);
      }
      rows = std::move(chosen);
      continue;
    }
    const RandomStream key = step.seed ? RandomStream(static_cast<uint64_t>(*step.seed)) : random;
    const auto places =
        key.fold("shuffle").fold(static_cast<uint64_t>(epoch)).permutation(static_cast<int64_t>(rows.size()));
    std::vector<int64_t> mixed(rows.size());
    for (std::size_t j = 0; j < rows.size(); ++j) mixed[j] = rows[static_cast<std::size_t>(places[j])];
    rows = std::move(mixed);
  }
  return rows;
}

namespace data {

TensorDataset::TensorDataset(const Tensors& x, const Tensors& y, const Tensors& weights)
    : Dataset(std::make_shared<TensorSource>(Batch{x, y, weights})) {}

}  // namespace data
}  // namespace tandem
