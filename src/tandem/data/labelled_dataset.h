#pragma once
#include <string>
#include <vector>

#include "tandem/data/dataset.h"

namespace tandem::data {

/// A data set that knows what its class ids stand for. Decorators give a plain Dataset, so ask it first.
class LabelledDataset : public Dataset {
 public:
  LabelledDataset(Dataset rows, std::vector<std::string> class_names)
      : Dataset(std::move(rows)), class_names_(std::move(class_names)) {}

  /// Name i is that of class id i; empty where the targets are no class ids.
  const std::vector<std::string>& class_names() const { return class_names_; }

 private:
  std::vector<std::string> class_names_;
};

}  // namespace tandem::data
