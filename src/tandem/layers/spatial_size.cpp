#include "tandem/layers/spatial_size.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"

namespace tandem {

template <std::size_t kRank>
SpatialSize<kRank> SpatialSize<kRank>::of(const std::string& where, const std::vector<int64_t>& numbers) {
  if (numbers.size() == 1) return numbers[0];
  if (numbers.size() != kRank) {
    throw InvalidArgument(c10::str(where, " must be ", numbers_of_a_size(kRank), kRank == 1 ? " number" : " numbers",
                                   ", got ", numbers.size(), " of them"));
  }
  SpatialSize size(0);
  for (std::size_t axis = 0; axis < kRank; ++axis) size.numbers_[axis] = numbers[axis];
  return size;
}

template class SpatialSize<1>;
template class SpatialSize<2>;
template class SpatialSize<3>;

const char* numbers_of_a_size(std::size_t rank) {
  return rank == 1 ? "one" : rank == 2 ? "one or two" : "one or three";
}

const char* spatial_axes(std::size_t rank) {
  return rank == 1 ? "steps" : rank == 2 ? "height, width" : "depth, height, width";
}

}  // namespace tandem
