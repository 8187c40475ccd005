#include "tandem/servers/average_asks.h"

#include <algorithm>

namespace tandem::servers {

bool AverageAsks::waits(const std::string& who, uint64_t id) const {
  return std::any_of(asks_.begin(), asks_.end(), [&](const Asks& other) { return other.who == who && other.id == id; });
}

bool AverageAsks::answered(const std::string& who, uint64_t id) const {
  const auto last = answered_.find(who);
  return last != answered_.end() && id <= last->second;
}

void AverageAsks::forget(const std::string& who) {
  std::erase_if(asks_, [&](const Asks& asks) { return asks.who == who; });
  answered_.erase(who);
}

}  // namespace tandem::servers
