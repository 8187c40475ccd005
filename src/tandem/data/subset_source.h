#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tandem/data/row_files.h"
#include "tandem/data/source.h"

namespace tandem::data {

/// Some rows of another source, in an order of their own. Nothing is copied until rows are read.
class SubsetSource : public Source, public RowFiles {
 public:
  SubsetSource(std::shared_ptr<const Source> base, std::vector<int64_t> rows);

  int64_t size() const override { return static_cast<int64_t>(rows_.size()); }
  Batch get(std::span<const int64_t> rows) const override;
  Tensors targets() const override;
  std::vector<int64_t> files() const override;
  /// Rows of the source below.
  const std::vector<int64_t>& rows() const { return rows_; }

 private:
  std::shared_ptr<const Source> base_;
  std::vector<int64_t> rows_;
};

}  // namespace tandem::data
