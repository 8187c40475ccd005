#include <c10/util/StringUtil.h>

#include "tandem/cluster/sources.h"
#include "tandem/core/error.h"

namespace tandem::cluster {

std::optional<Address> given_master(const Environment& environment) {
  const auto host = environment.get("MASTER_ADDR");
  if (!host) return std::nullopt;
  const auto port = environment.needed_number("MASTER_PORT", "MASTER_ADDR");
  if (port < 1 || port > 65535) throw InvalidArgument(c10::str("MASTER_PORT: must be from 1 to 65535, got ", port));
  return Address{*host, port};
}

std::optional<Membership> from_torchrun(const Environment& environment) {
  if (!environment.has("RANK") && !environment.has("WORLD_SIZE")) return std::nullopt;
  const auto rank = environment.needed_number("RANK", "WORLD_SIZE");
  auto m = member_of_rank("RANK, WORLD_SIZE", rank, environment.needed_number("WORLD_SIZE", "RANK"));
  // Kubeflow's PyTorchJob has one process a pod, and names no local rank.
  m.local_rank = environment.number("LOCAL_RANK").value_or(0);
  m.local_size = environment.number("LOCAL_WORLD_SIZE").value_or(0);
  m.master = given_master(environment);
  if (m.world_size > 1 && !m.master)
    throw InvalidArgument(c10::str("MASTER_ADDR: must be set where WORLD_SIZE is ", m.world_size));
  check(m);
  return m;
}

}  // namespace tandem::cluster
