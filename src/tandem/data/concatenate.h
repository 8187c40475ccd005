#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "tandem/data/dataset.h"
#include "tandem/data/labelled_dataset.h"
#include "tandem/data/row_files.h"
#include "tandem/data/source.h"

namespace tandem::data {

/// The rows of several data sets one after the other.
class ConcatenatedSource : public Source, public RowFiles {
 public:
  /// `who`: for messages.
  ConcatenatedSource(std::vector<Dataset> parts, const char* who);

  int64_t size() const override { return starts_.back(); }
  Batch get(std::span<const int64_t> rows) const override;
  Tensors targets() const override;
  /// Each part is a file, unless its rows lie in several.
  std::vector<int64_t> files() const override;

 protected:
  const std::vector<Dataset>& parts() const { return parts_; }
  int64_t start(std::size_t part) const { return starts_[part]; }
  int64_t rows(std::size_t part) const { return starts_[part + 1] - starts_[part]; }

 private:
  std::vector<Dataset> parts_;
  std::vector<int64_t> starts_;  // of each part's rows, and their end
  const char* who_;
};

/// The rows of several data sets one after the other, as torch.utils.data.ConcatDataset; for what lies in several
/// files:
///     concatenate({datasets::csv({.path = "a.csv"}), datasets::csv({.path = "b.csv"})})
/// Arrays in .npy files that are memory mapped (load_npy) stay on the disk until their rows are read. Parts may be cut
/// by take; shuffle, map and batch go on the whole, else InvalidArgument. Shapes must be equal; DataError in get.
Dataset concatenate(const std::vector<Dataset>& parts);
/// The same for class ids. Throws InvalidArgument unless all parts have the same class names: an id would mean another
/// class in another part.
LabelledDataset concatenate(const std::vector<LabelledDataset>& parts);

}  // namespace tandem::data
