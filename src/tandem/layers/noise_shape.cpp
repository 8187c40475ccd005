#include "tandem/layers/noise_shape.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"

namespace tandem {

void check_noise_shape(const std::string& layer, const Shape& noise_shape) {
  for (const int64_t n : noise_shape) {
    if (n < -1 || n == 0)
      throw InvalidArgument(c10::str(layer, ": noise_shape must hold sizes or -1, got ", noise_shape));
  }
}

Shape mask_shape(const Layer& layer, const Shape& noise_shape, const Shape& input) {
  if (noise_shape.empty()) return input;
  Shape mask = noise_shape;
  bool fits = mask.rank() == input.rank();
  for (int64_t i = 0; fits && i < mask.rank(); ++i) {
    if (mask[i] == Shape::kUnknown) mask[i] = input[i];
    fits = mask[i] == 1 || mask[i] == input[i] || input[i] == Shape::kUnknown;
  }
  if (!fits) throw_shape_error(layer, c10::str("input must fit noise_shape ", noise_shape), input);
  return mask;
}

Config noise_shape_to_config(const Shape& noise_shape) {
  if (noise_shape.empty()) return {};
  Config::List sizes;
  for (const int64_t n : noise_shape) sizes.push_back(n == Shape::kUnknown ? Config() : Config(n));
  return sizes;
}

Shape noise_shape_from(const Config& config) {
  const Config sizes = config.get("noise_shape", {});
  if (sizes.is_null()) return {};
  std::vector<int64_t> noise_shape;
  for (const auto& n : sizes.as_list()) noise_shape.push_back(n.is_null() ? Shape::kUnknown : n.as_int());
  return Shape::of(noise_shape);
}

}  // namespace tandem
