#include "tandem/core/shape.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <ostream>

#include "tandem/core/error.h"

namespace tandem {

Shape Shape::of(std::vector<int64_t> sizes) {
  Shape shape;
  shape.sizes_ = std::move(sizes);
  return shape;
}

std::size_t Shape::index(int64_t axis) const {
  const int64_t i = axis < 0 ? axis + rank() : axis;
  if (i < 0 || i >= rank()) {
    throw InvalidArgument(
        c10::str("shape ", to_string(), ": axis must be in [", -rank(), ", ", rank(), "), got ", axis));
  }
  return static_cast<std::size_t>(i);
}

bool Shape::is_known() const {
  return std::none_of(sizes_.begin(), sizes_.end(), [](int64_t n) { return n == kUnknown; });
}

int64_t Shape::count() const {
  int64_t product = 1;
  for (int64_t n : sizes_) {
    if (n == kUnknown)
      throw InvalidArgument(c10::str("shape ", to_string(), ": every size must be known to count elements"));
    if (__builtin_mul_overflow(product, n, &product))
      throw InvalidArgument(c10::str("shape ", to_string(), ": has more elements than can be counted"));
  }
  return product;
}

Shape Shape::without_batch() const {
  if (empty()) throw InvalidArgument("shape (): must have a batch axis to leave out");
  return of({sizes_.begin() + 1, sizes_.end()});
}

Shape Shape::with_batch(int64_t batch) const {
  std::vector<int64_t> sizes{batch};
  sizes.insert(sizes.end(), sizes_.begin(), sizes_.end());
  return of(std::move(sizes));
}

bool Shape::matches(const Shape& other) const { return std::equal(begin(), end(), other.begin(), other.end(), agree); }

std::string Shape::to_string() const {
  std::string out = "(";
  for (int64_t i = 0; i < rank(); ++i) {
    const auto n = sizes_[static_cast<std::size_t>(i)];
    out += (i ? ", " : "") + (n == kUnknown ? std::string("None") : std::to_string(n));
  }
  return out + (rank() == 1 ? ",)" : ")");
}

std::ostream& operator<<(std::ostream& out, const Shape& shape) { return out << shape.to_string(); }

}  // namespace tandem
