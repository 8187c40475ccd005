#pragma once
#include <array>
#include <concepts>
#include <cstdint>
#include <string>
#include <vector>

namespace tandem {

/// A window's size, its step or a factor along each of kRank spatial axes, from one number for all or from one for
/// each: `2`, `{3, 3}` for height and width. Default constructed it is not given, which stands for None of Keras.
template <std::size_t kRank>
class SpatialSize {
 public:
  SpatialSize() = default;
  SpatialSize(int64_t all) : given_(true) { numbers_.fill(all); }
  template <std::integral... N>
  requires(kRank > 1 && sizeof...(N) == kRank) SpatialSize(N... numbers)
      : numbers_{static_cast<int64_t>(numbers)...}, given_(true) {}
  /// From a list of one number or of kRank. Throws InvalidArgument, beginning with `where`, on another number of them.
  static SpatialSize of(const std::string& where, const std::vector<int64_t>& numbers);

  bool given() const { return given_; }
  /// 0: the outermost axis, so the height of an image.
  int64_t operator[](std::size_t axis) const { return numbers_[axis]; }
  /// One for each axis; none where it is not given.
  std::vector<int64_t> numbers() const {
    return given_ ? std::vector<int64_t>(numbers_.begin(), numbers_.end()) : std::vector<int64_t>();
  }
  bool operator==(const SpatialSize&) const = default;

 private:
  std::array<int64_t, kRank> numbers_ = {};
  bool given_ = false;
};

using Size1D = SpatialSize<1>;  // of steps
using Size2D = SpatialSize<2>;  // height, width
using Size3D = SpatialSize<3>;  // depth, height, width

/// "one", "one or two", "one or three": the numbers that make a size of `rank` axes.
const char* numbers_of_a_size(std::size_t rank);

/// "steps", "height, width" or "depth, height, width": how messages name the spatial axes.
const char* spatial_axes(std::size_t rank);

}  // namespace tandem
