#pragma once
#include <cstdint>
#include <span>

#include "tandem/data/example.h"
#include "tandem/data/source.h"

namespace tandem::data {

/// A data set of one's own, row by row, as PyTorch's Dataset with its __len__ and __getitem__:
///     class Recordings : public data::RowSource {
///       int64_t size() const override { return files_.size(); }
///       data::Example row(int64_t i) const override { return {.x = read(files_[i]), .y = at::scalar_tensor(kind_[i])};
///       }
///     };
///     Dataset train(std::make_shared<Recordings>());
/// Several threads call row() at once. What it throws arrives in fit with the row's number. Shapes must be equal in all
/// rows. Sources that can read many rows better than one derive from Source.
class RowSource : public Source {
 public:
  /// Row `i`, from 0 to size() - 1.
  virtual Example row(int64_t i) const = 0;

  Batch get(std::span<const int64_t> rows) const final;
};

}  // namespace tandem::data
