#include "tandem/cluster/membership.h"

#include <c10/util/StringUtil.h>

#include <array>
#include <utility>

#include "tandem/core/error.h"

namespace tandem::cluster {
namespace {

constexpr std::array<std::pair<const char*, Role>, 4> kRoles{
    {{"chief", Role::chief}, {"worker", Role::worker}, {"ps", Role::server}, {"evaluator", Role::evaluator}}};

}  // namespace

const char* to_string(Role role) {
  for (const auto& [name, known] : kRoles) {
    if (known == role) return name;
  }
  throw InternalError("cluster: a role without a name");
}

Role parse_role(const std::string& text, const std::string& what) {
  if (text == "master") return Role::chief;
  std::vector<std::string> names;
  for (const auto& [name, role] : kRoles) {
    if (name == text) return role;
    names.emplace_back(name);
  }
  throw_unknown_name(what, text, names);
}

std::string Membership::describe() const {
  std::string text = trains() ? c10::str("rank ", rank, " of ", world_size, " (", to_string(role), " ", index, ")")
                              : c10::str(to_string(role), " ", index);
  if (trains() && local_size > 0) text += c10::str(", local rank ", local_rank, " of ", local_size);
  if (!servers.empty()) text += c10::str(", ", servers.size(), servers.size() == 1 ? " server" : " servers");
  if (master) text += c10::str(", meets at ", master->port ? master->to_string() : master->host);
  return text;
}

Membership member_of_rank(std::string source, int64_t rank, int64_t world_size) {
  return {.source = std::move(source),
          .role = rank == 0 ? Role::chief : Role::worker,
          .index = rank == 0 ? 0 : rank - 1,
          .rank = rank,
          .world_size = world_size,
          .local_size = 0};
}

void check(const Membership& m) {
  const auto fail = [&](auto... text) { throw InvalidArgument(c10::str("cluster: ", m.source, ": ", text...)); };
  if (m.world_size < 1) fail("the world size must be at least 1, got ", m.world_size);
  if (m.trains() && (m.rank < 0 || m.rank >= m.world_size))
    fail("the rank must be below the world size ", m.world_size, ", got ", m.rank);
  if (m.local_size > 0 && m.trains() && (m.local_rank < 0 || m.local_rank >= m.local_size))
    fail("the local rank must be below the local size ", m.local_size, ", got ", m.local_rank);
  if (m.local_size > m.world_size)
    fail("the local size must be at most the world size ", m.world_size, ", got ", m.local_size);
}

}  // namespace tandem::cluster
