#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace tandem {

/// Sizes of a tensor; kUnknown (printed as None) stands for a size that is not fixed, as the batch's usually is.
class Shape {
 public:
  static constexpr int64_t kUnknown = -1;

  Shape() = default;
  Shape(std::initializer_list<int64_t> sizes) : sizes_(sizes) {}
  static Shape of(std::vector<int64_t> sizes);

  int64_t rank() const { return static_cast<int64_t>(sizes_.size()); }
  bool empty() const { return sizes_.empty(); }
  /// Size at `axis`; a negative axis counts from the end. Throws InvalidArgument out of range.
  int64_t operator[](int64_t axis) const { return sizes_[index(axis)]; }
  int64_t& operator[](int64_t axis) { return sizes_[index(axis)]; }
  int64_t back() const { return (*this)[-1]; }
  auto begin() const { return sizes_.begin(); }
  auto end() const { return sizes_.end(); }
  const std::vector<int64_t>& sizes() const { return sizes_; }

  bool is_known() const;
  /// Number of elements. Throws InvalidArgument when a size is unknown.
  int64_t count() const;
  /// The shape without its first axis, and with `batch` put in front.
  Shape without_batch() const;
  Shape with_batch(int64_t batch = kUnknown) const;
  /// True when two sizes are equal or one is unknown.
  static bool agree(int64_t a, int64_t b) { return a == b || a == kUnknown || b == kUnknown; }
  /// True when ranks are equal and each pair of sizes agrees.
  bool matches(const Shape& other) const;

  /// As Keras prints it: "(None, 32, 32, 3)", "(5,)".
  std::string to_string() const;
  bool operator==(const Shape&) const = default;

 private:
  std::size_t index(int64_t axis) const;
  std::vector<int64_t> sizes_;
};

using Shapes = std::vector<Shape>;

std::ostream& operator<<(std::ostream& out, const Shape& shape);

}  // namespace tandem
