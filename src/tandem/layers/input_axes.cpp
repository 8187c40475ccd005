#include "tandem/layers/input_axes.h"

#include <c10/util/StringUtil.h>

#include <algorithm>

namespace tandem {

std::vector<int64_t> input_axes(const Layer& layer, const Axes& axes, const Shape& input) {
  std::vector<int64_t> found;
  for (const int64_t number : axes.numbers()) {
    const int64_t axis = number < 0 ? number + input.rank() : number;
    if (axis < 1 || axis >= input.rank()) {
      throw_shape_error(layer, c10::str("axis ", number, " must be one of the input's and not the batch"), input);
    }
    if (std::find(found.begin(), found.end(), axis) != found.end()) {
      throw_shape_error(layer, c10::str("axis must name each axis once and not ", axes.to_config().shown()), input);
    }
    found.push_back(axis);
  }
  if (found.empty()) throw_shape_error(layer, "axis must name at least one axis", input);
  return found;
}

}  // namespace tandem
