#include "tandem/layers/sides.h"

#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"

namespace tandem {
namespace {

[[noreturn]] void throw_other_sides(const std::string& key, std::size_t rank, const Config& got) {
  const char* forms = rank == 1   ? "a whole number or two of them"
                      : rank == 2 ? "a whole number, two of them or two pairs"
                                  : "a whole number, three of them or three pairs";
  throw DataError(c10::str("config: ", key, " must be ", forms, ", got ", got.shown()));
}

}  // namespace

bool Sides::none() const {
  return std::all_of(axes_.begin(), axes_.end(), [](const AxisPadding& axis) { return axis == AxisPadding(); });
}

AxisPaddings Sides::from_config(const Config& config, const std::string& key, std::size_t rank) {
  const Config value = config.get(key, {});
  if (value.is_null()) return {};
  if (!value.is_list()) return AxisPaddings(rank, {value.as_int(), value.as_int()});
  const auto pair_of = [&](const Config& side) -> AxisPadding {
    if (!side.is_list()) return {side.as_int(), side.as_int()};
    const auto pair = side.as_ints();
    if (pair.size() != 2) throw_other_sides(key, rank, value);
    return {pair[0], pair[1]};
  };
  if (rank == 1) return {pair_of(value)};
  if (value.as_list().size() != rank) throw_other_sides(key, rank, value);
  AxisPaddings axes;
  for (const Config& side : value.as_list()) axes.push_back(pair_of(side));
  return axes;
}

Config Sides::to_config() const {
  Config::List list;
  for (const AxisPadding& axis : axes_) list.push_back(Config::list({axis.before, axis.after}));
  return list.size() == 1 ? list[0] : Config(list);
}

void Sides::check(const std::string& where) const {
  for (const AxisPadding& axis : axes_) {
    const int64_t least = std::min(axis.before, axis.after);
    if (least < 0) throw InvalidArgument(c10::str(where, " must not be negative, got ", least));
  }
}

Sides1D Sides1D::from_config(const Config& config, const std::string& key, const Sides1D& fallback) {
  auto axes = Sides::from_config(config, key, 1);
  return axes.empty() ? fallback : Sides1D(std::move(axes));
}

Sides2D Sides2D::from_config(const Config& config, const std::string& key, const Sides2D& fallback) {
  auto axes = Sides::from_config(config, key, 2);
  return axes.empty() ? fallback : Sides2D(std::move(axes));
}

Sides3D Sides3D::from_config(const Config& config, const std::string& key, const Sides3D& fallback) {
  auto axes = Sides::from_config(config, key, 3);
  return axes.empty() ? fallback : Sides3D(std::move(axes));
}

}  // namespace tandem
