#pragma once
#include <cstdint>
#include <span>

#include "tandem/data/batch.h"

namespace tandem::data {

/// Of a source whose rows nobody has counted (BatchGenerator).
constexpr int64_t kUnknownSize = -1;

/// Where rows come from. A user's own data set derives from it. Read by several worker threads at once.
class Source {
 public:
  virtual ~Source() = default;
  /// Number of rows.
  virtual int64_t size() const = 0;
  /// The rows named by `rows` (each in [0, size())), stacked in that order. Throws DataError naming the row that cannot
  /// be read.
  virtual Batch get(std::span<const int64_t> rows) const = 0;
  /// All rows, in order; the default gets them at once. In-memory sources return what they hold without a copy.
  virtual Batch all() const;
  /// The targets of all rows, in order; the default takes them from all(). Sources that know them without reading their
  /// inputs say so here.
  virtual Tensors targets() const;
};

}  // namespace tandem::data
