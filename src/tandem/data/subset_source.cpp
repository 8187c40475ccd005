#include "tandem/data/subset_source.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <utility>

#include "tandem/core/error.h"

namespace tandem::data {

SubsetSource::SubsetSource(std::shared_ptr<const Source> base, std::vector<int64_t> rows)
    : base_(std::move(base)), rows_(std::move(rows)) {
  for (const int64_t row : rows_) {
    if (row < 0 || row >= base_->size()) {
      throw InvalidArgument(c10::str("data set: row ", row, " does not exist, it has ", base_->size(), " rows"));
    }
  }
}

Batch SubsetSource::get(std::span<const int64_t> rows) const {
  std::vector<int64_t> below;
  below.reserve(rows.size());
  for (const int64_t row : rows) {
    if (row < 0 || row >= size())
      throw DataError(c10::str("data set: row ", row, " does not exist, it has ", size(), " rows"));
    below.push_back(rows_[static_cast<std::size_t>(row)]);
  }
  return base_->get(below);
}

Tensors SubsetSource::targets() const {
  Tensors targets;
  for (const Tensor& one : base_->targets()) targets.push_back(one.index_select(0, at::tensor(rows_)));
  return targets;
}

std::vector<int64_t> SubsetSource::files() const {
  const auto all = files_of(*base_);
  std::vector<int64_t> files;
  for (const int64_t row : rows_) files.push_back(all[static_cast<std::size_t>(row)]);
  return files;
}

}  // namespace tandem::data
