#include "tandem/servers/average_asks.h"

#include <algorithm>

namespace tandem::servers {

bool AverageAsks::is_new(const std::string& who, uint64_t id) const {
  const auto answered = answered_.find(who);
  if (answered != answered_.end() && id <= answered->second) return false;
  return std::none_of(asks_.begin(), asks_.end(),
                      [&](const Asks& other) { return other.who == who && other.id == id; });
}

void AverageAsks::forget(const std::string& who) {
  std::erase_if(asks_, [&](const Asks& asks) { return asks.who == who; });
  answered_.erase(who);
}

}  // namespace tandem::servers
