#include "tandem/data/concatenate.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "tandem/core/error.h"
#include "tandem/core/shape.h"

namespace tandem::data {
namespace {

// One tensor of each piece, as one.
Tensor joined_rows(const std::vector<Tensor>& tensors, const char* who, const char* what) {
  const auto& first = tensors.front();
  for (const auto& tensor : tensors) {
    if (tensor.sizes().slice(1) == first.sizes().slice(1) && tensor.scalar_type() == first.scalar_type()) continue;
    throw DataError(c10::str(who, ": all data sets must have ", what, " of one type and shape, got ",
                             first.scalar_type(), " rows of ", Shape::of(first.sizes().slice(1).vec()).to_string(),
                             " and ", tensor.scalar_type(), " rows of ",
                             Shape::of(tensor.sizes().slice(1).vec()).to_string()));
  }
  return tensors.size() == 1 ? first : at::cat(tensors);
}

Tensors joined_lists(const std::vector<Tensors>& lists, const char* who, const char* what) {
  Tensors all;
  for (const auto& list : lists) {
    if (list.size() != lists.front().size())
      throw DataError(c10::str(who, ": all data sets must have as many ", what, " as the first"));
  }
  for (int64_t k = 0; k < lists.front().size(); ++k) {
    std::vector<Tensor> tensors;
    for (const auto& list : lists) tensors.push_back(list[k]);
    all.push_back(joined_rows(tensors, who, what));
  }
  return all;
}

// Where one of them has weights all must: rows without would have to be given some.
Tensors joined_weights(const std::vector<Batch>& pieces, const char* who) {
  const auto weighted = [](const Batch& piece) { return piece.weighted(); };
  if (std::none_of(pieces.begin(), pieces.end(), weighted)) return {};
  if (!std::all_of(pieces.begin(), pieces.end(), weighted))
    throw DataError(c10::str(who, ": all data sets must have sample weights, or none"));
  Tensors all;
  const auto& first = pieces.front().weights;
  for (int64_t k = 0; k < first.size(); ++k) {
    std::vector<Tensor> tensors;
    for (const auto& piece : pieces) {
      if (piece.weights.size() != first.size() || piece.weights[k].defined() != first[k].defined())
        throw DataError(c10::str(who, ": all data sets must have sample weights for the same outputs"));
      tensors.push_back(piece.weights[k]);
    }
    all.push_back(first[k].defined() ? joined_rows(tensors, who, "sample weights") : Tensor());
  }
  return all;
}

Batch joined(const std::vector<Batch>& pieces, const char* who) {
  std::vector<Tensors> x, y;
  for (const auto& piece : pieces) {
    x.push_back(piece.x);
    y.push_back(piece.y);
  }
  return {joined_lists(x, who, "inputs"), joined_lists(y, who, "targets"), joined_weights(pieces, who)};
}

Batch in_order(Batch batch, const std::vector<int64_t>& places) {
  if (std::is_sorted(places.begin(), places.end())) return batch;
  // Row i goes to places[i].
  const Tensor from = at::tensor(places).argsort();
  return batch.each([&](const Tensor& one) { return one.index_select(0, from); });
}

}  // namespace

ConcatenatedSource::ConcatenatedSource(std::vector<Dataset> parts, const char* who)
    : parts_(std::move(parts)), starts_{0}, who_(who) {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const auto& part = parts_[i];
    if (!part.source()) throw InvalidArgument(c10::str(who_, ": data set ", i, " is empty"));
    part.require_rows(who_);
    if (!part.transforms().empty() || part.batch_size() > 0) {
      throw InvalidArgument(
          c10::str(who_, ": data set ", i, " must have no map and no batch of its own; put them on the whole"));
    }
    starts_.push_back(starts_.back() + part.size());
  }
}

Batch ConcatenatedSource::get(std::span<const int64_t> rows) const {
  std::vector<std::vector<int64_t>> own(parts_.size()), places(parts_.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto part =
        static_cast<std::size_t>(std::upper_bound(starts_.begin(), starts_.end(), rows[i]) - starts_.begin() - 1);
    if (rows[i] < 0 || part >= parts_.size())
      throw DataError(c10::str("data set: row ", rows[i], " does not exist, it has ", size(), " rows"));
    own[part].push_back(rows[i] - starts_[part]);
    places[part].push_back(static_cast<int64_t>(i));
  }
  std::vector<Batch> pieces;
  std::vector<int64_t> all_places;
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    if (own[part].empty()) continue;
    pieces.push_back(parts_[part].source()->get(own[part]));
    all_places.insert(all_places.end(), places[part].begin(), places[part].end());
  }
  if (pieces.empty()) return parts_.front().source()->get({});
  return in_order(pieces.size() == 1 ? pieces.front() : joined(pieces, who_), all_places);
}

Tensors ConcatenatedSource::targets() const {
  std::vector<Tensors> lists;
  for (const auto& part : parts_) {
    Tensors cut;
    for (const Tensor& one : part.source()->targets()) cut.push_back(one.narrow(0, 0, part.size()));
    lists.push_back(cut);
  }
  return joined_lists(lists, who_, "targets");
}

std::vector<int64_t> ConcatenatedSource::files() const {
  std::vector<int64_t> all;
  int64_t first = 0;
  for (const auto& part : parts_) {
    int64_t most = -1;
    const auto files = files_of(*part.source());
    for (std::size_t i = 0; i < static_cast<std::size_t>(part.size()); ++i) {
      all.push_back(first + files[i]);
      most = std::max(most, files[i]);
    }
    first += most + 1;
  }
  return all;
}

Dataset concatenate(const std::vector<Dataset>& parts) {
  if (parts.empty()) throw InvalidArgument("concatenate: must get data sets, got none");
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].is_shuffled())
      throw InvalidArgument(c10::str("concatenate: data set ", i, " must not be shuffled; shuffle the whole"));
  }
  return Dataset(std::make_shared<ConcatenatedSource>(parts, "concatenate"));
}

LabelledDataset concatenate(const std::vector<LabelledDataset>& parts) {
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (parts[i].class_names() == parts[0].class_names()) continue;
    throw InvalidArgument(c10::str("concatenate: all data sets must have the same classes, but data set ", i, " has {",
                                   c10::Join(", ", parts[i].class_names()), "}, data set 0 {",
                                   c10::Join(", ", parts[0].class_names()), "}"));
  }
  Dataset whole = concatenate(std::vector<Dataset>(parts.begin(), parts.end()));
  return {whole, parts[0].class_names()};
}

}  // namespace tandem::data
