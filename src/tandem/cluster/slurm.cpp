#include <c10/util/StringUtil.h>

#include <numeric>

#include "tandem/cluster/host_list.h"
#include "tandem/cluster/sources.h"
#include "tandem/core/error.h"

namespace tandem::cluster {

std::optional<Membership> from_slurm(const Environment& environment) {
  const char *kTasks = "SLURM_STEP_NUM_TASKS", *kHosts = "SLURM_STEP_NODELIST", *kCounts = "SLURM_STEP_TASKS_PER_NODE";
  if (!environment.has(kTasks) || !environment.has("SLURM_PROCID")) return std::nullopt;
  const auto rank = *environment.number("SLURM_PROCID");
  auto m = member_of_rank(std::string("SLURM_PROCID, ") + kTasks, rank, *environment.number(kTasks));
  m.local_rank = environment.number("SLURM_LOCALID").value_or(0);
  if (const auto list = environment.get(kHosts)) {
    const auto hosts = expand_hosts(*list, kHosts);
    m.master = Address{hosts.front()};
    if (const auto text = environment.get(kCounts)) {
      const auto counts = expand_counts(*text, kCounts);
      if (counts.size() != hosts.size()) {
        throw InvalidArgument(c10::str(kCounts, ": must have a number for each of the ", hosts.size(), " hosts of ",
                                       kHosts, ", got '", *text, "'"));
      }
      if (const auto sum = std::accumulate(counts.begin(), counts.end(), int64_t{0}); sum != m.world_size)
        throw InvalidArgument(
            c10::str(kCounts, ": must add up to ", kTasks, ", ", m.world_size, ", got '", *text, "'"));
      if (const auto node = environment.number("SLURM_NODEID"); node && *node < static_cast<int64_t>(counts.size()))
        m.local_size = counts[static_cast<std::size_t>(*node)];
    }
  }
  if (const auto master = given_master(environment)) {
    m.master = master;
  } else {
    m.telling = Telling::shared_file;
  }
  check(m);
  return m;
}

}  // namespace tandem::cluster
