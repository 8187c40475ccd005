#include <c10/util/StringUtil.h>

#include "tandem/cluster/sources.h"
#include "tandem/core/error.h"

namespace tandem::cluster {

std::optional<Membership> from_explicit(const ExplicitRank& given) {
  if (!given.rank && !given.world_size && !given.local_rank && given.master.empty()) return std::nullopt;
  if (!given.rank || !given.world_size) {
    throw InvalidArgument(c10::str("--rank and --world-size: must be given together, got ",
                                   given.rank         ? "--rank alone"
                                   : given.world_size ? "--world-size alone"
                                                      : "neither, beside --local-rank or --master"));
  }
  auto m = member_of_rank("--rank, --world-size", *given.rank, *given.world_size);
  m.local_rank = given.local_rank.value_or(0);
  if (!given.master.empty()) m.master = Address::parse(given.master, "--master");
  if (m.world_size > 1 && !m.master)
    throw InvalidArgument(c10::str("--master: must be given with a --world-size of ", m.world_size));
  check(m);
  return m;
}

}  // namespace tandem::cluster
