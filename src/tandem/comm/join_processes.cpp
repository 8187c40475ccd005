#include "tandem/comm/join_processes.h"

#include <c10/util/StringUtil.h>

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "tandem/cluster/environment.h"
#include "tandem/comm/gloo_backend.h"
#include "tandem/comm/meeting_point.h"
#include "tandem/comm/meeting_store.h"
#include "tandem/comm/process_rank.h"
#include "tandem/core/error.h"
#include "tandem/core/log.h"

namespace tandem::comm {
namespace {

std::string own_host(bool all_here) {
  if (all_here) return "127.0.0.1";
  const auto name = cluster::own_host_name();
  if (name.empty()) throw Error("this machine has no name to be reached by");
  return name;
}

}  // namespace

JoinedProcesses join_processes(const cluster::Membership& member, double limit_seconds) {
  if (!member.trains()) {
    throw InvalidArgument(c10::str("cluster: ", member.source, ": only the chief and workers train together, this is ",
                                   cluster::to_string(member.role), " ", member.index));
  }
  if (!member.master || member.master->port == 0) {
    throw InvalidArgument(c10::str("cluster: ", member.source, " says rank ", member.rank, " of ", member.world_size,
                                   ", but not where to meet: set MASTER_ADDR and MASTER_PORT, RANK and WORLD_SIZE"));
  }
  const auto& [host, port] = *member.master;
  const std::chrono::milliseconds limit(static_cast<int64_t>(limit_seconds * 1000));
  const cluster::Environment environment;
  const bool all_here = cluster::is_loopback(host);
  if (!all_here && member.rank == 0)
    log_warning("Gloo's connections between hosts are neither encrypted nor authenticated: use a network you trust");

  JoinedProcesses joined;
  c10::intrusive_ptr<c10d::Store> store;
  if (environment.get("TORCHELASTIC_USE_AGENT_STORE") == "True") {
    c10d::TCPStoreOptions options;
    options.port = static_cast<uint16_t>(port);
    options.timeout = limit;
    // torchrun gives each restart keys of its own.
    store = c10::make_intrusive<c10d::PrefixStore>(
        c10::str("tandem/", environment.get("TORCHELASTIC_RESTART_COUNT").value_or("0")),
        c10::make_intrusive<c10d::TCPStore>(host, options));
  } else {
    const auto secret = environment.get(kJobKeyVariable);
    const auto key = secret ? std::optional(JobKey::of_secret(*secret)) : std::nullopt;
    if (member.rank == 0) joined.meeting = std::make_shared<MeetingPoint>(host, port, key);
    store = c10::make_intrusive<MeetingStore>(host, port, key, limit);
  }
  joined.rank = std::make_shared<ProcessRank>(
      std::move(store), member.rank, member.world_size, limit,
      [limit, own = own_host(all_here)](const c10::intrusive_ptr<c10d::Store>& keys, int64_t rank, int64_t ranks) {
        return make_gloo_backend(keys, rank, ranks, own, limit);
      });
  return joined;
}

}  // namespace tandem::comm
