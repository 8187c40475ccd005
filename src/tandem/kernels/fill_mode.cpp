#include "tandem/kernels/fill_mode.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "tandem/core/error.h"

namespace tandem::kernels {
namespace {

constexpr std::array<std::pair<std::string_view, FillMode>, 4> kModes = {{{"nearest", FillMode::nearest},
                                                                          {"constant", FillMode::constant},
                                                                          {"reflect", FillMode::reflect},
                                                                          {"wrap", FillMode::wrap}}};

int64_t modulo(int64_t i, int64_t n) { return (i % n + n) % n; }

// The pixel that stands at index i of the line mirrored at its ends without end.
int64_t mirrored(int64_t i, int64_t n) {
  const int64_t k = modulo(i, 2 * n);
  return k < n ? k : 2 * n - 1 - k;
}

}  // namespace

FillMode fill_mode(std::string_view name) {
  std::vector<std::string> known;
  for (const auto& [text, mode] : kModes) {
    if (text == name) return mode;
    known.emplace_back(text);
  }
  throw_unknown_name("fill mode", name, known);
}

AxisTap axis_tap(double position, int64_t n, FillMode mode) {
  const auto last = static_cast<double>(n - 1);
  if (mode == FillMode::constant && (position < 0 || position > last)) return {.inside = false};
  if (mode == FillMode::nearest) position = std::clamp(position, 0.0, last);
  if (mode == FillMode::wrap && (position < 0 || position > last)) {
    if (n == 1) return {};
    position -= last * std::floor(position / last);
  }
  const double floor = std::floor(position);
  const auto low = static_cast<int64_t>(floor);
  const auto weight = static_cast<float>(position - floor);
  if (mode == FillMode::reflect) return {.low = mirrored(low, n), .high = mirrored(low + 1, n), .weight = weight};
  return {.low = low, .high = std::min(low + 1, n - 1), .weight = weight};
}

}  // namespace tandem::kernels
