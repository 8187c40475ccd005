#include "tandem/layers/shape_config.h"

#include "tandem/core/error.h"

namespace tandem {

Config shape_to_config(const Shape& shape) {
  Config::List sizes;
  for (const int64_t n : shape) sizes.push_back(n == Shape::kUnknown ? Config() : Config(n));
  return sizes;
}

Shape shape_from_config(const Config& config) {
  std::vector<int64_t> sizes;
  for (const auto& n : config.as_list()) {
    sizes.push_back(n.is_null() ? Shape::kUnknown : n.as_int());
    if (!n.is_null() && sizes.back() <= 0)
      throw DataError("config: a shape must be a list of positive whole numbers and nulls, got " + config.shown());
  }
  return Shape::of(std::move(sizes));
}

}  // namespace tandem
