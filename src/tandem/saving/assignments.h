#pragma once
#include <string>
#include <utility>
#include <vector>

#include "tandem/core/tensor.h"
#include "tandem/layers/weight.h"
#include "tandem/saving/h5_file.h"

namespace tandem::saving {

/// Values read for weights and not yet assigned: a file that turns out not to fit changes nothing.
class Assignments {
 public:
  /// Reads the data set at `path` of `group` for a weight. Throws DataError when it is not there, damaged, or of
  /// another shape.
  void read(const Weight& weight, const H5Group& group, const std::string& path);
  void add(const Weight& weight, Tensor value) { values_.emplace_back(weight, std::move(value)); }
  void assign() const;

 private:
  std::vector<std::pair<Weight, Tensor>> values_;
};

/// Where they differ: "kernel must have shape (3, 2), has (4, 2)"; empty when the data set fits the weight.
std::string shape_difference(const Weight& weight, const H5Group& group, const std::string& path);

/// The weights that are trained by their nature, then the others, each in the given order.
std::vector<Weight> trained_first(std::vector<Weight> weights);

}  // namespace tandem::saving
