#include "tandem/cluster/jobs.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"

namespace tandem::cluster {
namespace {

const std::vector<Address>& of_role(const Jobs& jobs, Role role) {
  switch (role) {
    case Role::chief:
      return jobs.chief;
    case Role::worker:
      return jobs.workers;
    case Role::server:
      return jobs.servers;
    default:
      return jobs.evaluators;
  }
}

}  // namespace

Membership member_of(const Jobs& jobs, Role role, int64_t index, const std::string& source,
                     const std::string& index_name) {
  if (jobs.chief.size() > 1)
    throw InvalidArgument(c10::str(source, ": there must be at most one chief, got ", jobs.chief.size()));
  Membership m{.source = source, .role = role, .index = index, .rank = -1};
  for (const auto* addresses : {&jobs.chief, &jobs.workers})
    m.ranks.insert(m.ranks.end(), addresses->begin(), addresses->end());
  m.servers = jobs.servers;
  m.evaluators = jobs.evaluators;
  if (m.ranks.empty()) throw InvalidArgument(c10::str(source, ": there must be a chief or a worker, got none"));
  auto all = m.ranks;
  all.insert(all.end(), m.servers.begin(), m.servers.end());
  all.insert(all.end(), m.evaluators.begin(), m.evaluators.end());
  check_different(all, source);

  const auto& own = of_role(jobs, role);
  const bool outside = role == Role::evaluator && own.empty();  // an evaluator need not be in the cluster
  if (own.empty() && !outside)
    throw InvalidArgument(c10::str(source, ": the job is '", to_string(role), "', but the cluster has none"));
  if (!outside && index >= static_cast<int64_t>(own.size())) {
    throw InvalidArgument(c10::str(source, ": ", index_name, " must be below the ", own.size(), " processes of '",
                                   to_string(role), "', got ", index));
  }
  m.world_size = static_cast<int64_t>(m.ranks.size());
  m.master = m.ranks.front();
  m.local_size = 0;
  if (!m.trains()) return m;
  m.rank = index + (role == Role::worker ? static_cast<int64_t>(jobs.chief.size()) : 0);
  if (m.rank == 0) m.role = Role::chief;
  for (int64_t r = 0; r < m.world_size; ++r) {
    if (m.ranks[static_cast<std::size_t>(r)].host != m.ranks[static_cast<std::size_t>(m.rank)].host) continue;
    ++m.local_size;
    if (r < m.rank) ++m.local_rank;
  }
  return m;
}

}  // namespace tandem::cluster
