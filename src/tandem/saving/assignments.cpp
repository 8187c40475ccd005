#include "tandem/saving/assignments.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>

namespace tandem::saving {

void Assignments::read(const Weight& weight, const H5Group& group, const std::string& path) {
  values_.emplace_back(weight, group.read(path, weight.shape()));
}

void Assignments::assign() const {
  for (const auto& [weight, value] : values_) weight.assign(value);
}

std::string shape_difference(const Weight& weight, const H5Group& group, const std::string& path) {
  const Shape found = group.dataset_shape(path);
  if (found == weight.shape()) return "";
  return c10::str(weight.name(), " must have shape ", weight.shape(), ", has ", found);
}

std::vector<Weight> trained_first(std::vector<Weight> weights) {
  std::stable_partition(weights.begin(), weights.end(), [](const Weight& w) { return w.trainable(); });
  return weights;
}

}  // namespace tandem::saving
