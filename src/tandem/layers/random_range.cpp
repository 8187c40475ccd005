#include "tandem/layers/random_range.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"

namespace tandem {

RandomRange RandomRange::from_config(const Config& config) {
  if (config.is_null()) return {};
  if (!config.is_list()) return config.as_double();
  const auto& ends = config.as_list();
  if (ends.size() != 2) throw DataError("config: a range must be one number or two, got " + config.shown());
  return {ends[0].as_double(), ends[1].as_double()};
}

Config RandomRange::to_config() const {
  if (!given_) return {};
  return one_ ? Config(first_) : Config(Config::List{first_, second_});
}

void RandomRange::check(const std::string& where, double low, double high) const {
  if (low_ >= low && high_ <= high) return;
  throw InvalidArgument(
      c10::str(where, " must be one number or two within [", low, ", ", high, "], got ", to_config().shown()));
}

}  // namespace tandem
