#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>

namespace tandem {

/// Height and width of a window or its step, from one number or from two: `2`, `{3, 3}`. Default constructed it is not
/// given, which stands for None of Keras.
class Size2D {
 public:
  Size2D() = default;
  Size2D(int64_t both) : Size2D(both, both) {}
  Size2D(int64_t height, int64_t width) : height_(height), width_(width), given_(true) {}
  /// From a list of one or two numbers. Throws InvalidArgument, beginning with `where`, on another number of them.
  static Size2D of(const std::string& where, std::initializer_list<int64_t> numbers);

  bool given() const { return given_; }
  int64_t height() const { return height_; }
  int64_t width() const { return width_; }
  /// 0: height, 1: width.
  int64_t operator[](int64_t axis) const { return axis == 0 ? height_ : width_; }
  bool operator==(const Size2D&) const = default;

 private:
  int64_t height_ = 0, width_ = 0;
  bool given_ = false;
};

}  // namespace tandem
