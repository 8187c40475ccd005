#include "tandem/layers/axes.h"

#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"

namespace tandem {

Axes Axes::from_config(const Config& config) { return config.is_list() ? Axes(config.as_ints()) : config.as_int(); }

Config Axes::to_config() const { return one_ ? Config(numbers_.front()) : Config::list(numbers_); }

std::vector<int64_t> Axes::of_rank(const std::string& where, int64_t rank) const {
  std::vector<int64_t> axes;
  for (const int64_t number : numbers_) {
    const int64_t axis = number < 0 ? number + rank : number;
    if (axis < 0 || axis >= rank) {
      throw InvalidArgument(c10::str(where, ": axis must be within a weight of rank ", rank, ", got ", number));
    }
    if (std::find(axes.begin(), axes.end(), axis) != axes.end()) {
      throw InvalidArgument(c10::str(where, ": axis must name each axis once, got ", to_config().shown()));
    }
    axes.push_back(axis);
  }
  return axes;
}

}  // namespace tandem
