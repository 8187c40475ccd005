#include "tandem/layers/sides2d.h"

#include <c10/util/StringUtil.h>

#include <array>

#include "tandem/core/error.h"

namespace tandem {

Sides2D Sides2D::from_config(const Config& config, const std::string& key, const Sides2D& fallback) {
  const Config value = config.get(key, {});
  if (value.is_null()) return fallback;
  if (!value.is_list()) return value.as_int();
  const auto fail = [&] {
    throw DataError(
        c10::str("config: ", key, " must be a whole number, two of them or two pairs, got ", value.shown()));
  };
  if (value.as_list().size() != 2) fail();
  std::array<AxisPadding, 2> axes;
  for (std::size_t i = 0; i < 2; ++i) {
    const Config& side = value.as_list()[i];
    if (!side.is_list()) {
      axes[i] = {side.as_int(), side.as_int()};
      continue;
    }
    const auto pair = side.as_ints();
    if (pair.size() != 2) fail();
    axes[i] = {pair[0], pair[1]};
  }
  return {axes[0], axes[1]};
}

Config Sides2D::to_config() const {
  return Config::List{Config::list({height_.before, height_.after}), Config::list({width_.before, width_.after})};
}

void Sides2D::check(const std::string& where) const {
  for (const int64_t n : {height_.before, height_.after, width_.before, width_.after}) {
    if (n < 0) throw InvalidArgument(c10::str(where, " must not be negative, got ", n));
  }
}

}  // namespace tandem
