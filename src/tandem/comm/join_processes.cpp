#include "tandem/comm/join_processes.h"

#include <c10/util/StringUtil.h>

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "tandem/cluster/environment.h"
#include "tandem/comm/gloo_processes.h"
#include "tandem/comm/meeting_point.h"
#include "tandem/comm/meeting_store.h"
#include "tandem/comm/shared_processes.h"
#include "tandem/comm/wait_for_ranks.h"
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

// Rank 0's, which has the place where all meet.
class AtMeeting final : public Processes {
 public:
  AtMeeting(std::unique_ptr<MeetingPoint> meeting, std::unique_ptr<Processes> processes)
      : meeting_(std::move(meeting)), processes_(std::move(processes)) {}
  Communicator& rank() override { return processes_->rank(); }
  std::unique_ptr<RankGroup> spread(int64_t here, const std::vector<std::shared_ptr<Turns>>& turns) override {
    return processes_->spread(here, turns);
  }
  void abort(const std::string& reason) override { processes_->abort(reason); }

 private:
  std::unique_ptr<MeetingPoint> meeting_;  // null elsewhere; ends last
  std::unique_ptr<Processes> processes_;
};

// Whether all processes can share memory.
bool on_one_host(c10d::Store& store, const cluster::Membership& member, double limit_seconds) {
  const auto key_of = [](int64_t rank) { return c10::str("place of ", rank); };
  store.set(key_of(member.rank), shared_memory_place());
  wait_for_ranks(store, "places", member.rank, member.world_size, limit_seconds);
  for (int64_t r = 0; r < member.world_size; ++r) {
    if (store.get_to_str(key_of(r)) != shared_memory_place()) return false;
  }
  return true;
}

std::unique_ptr<Processes> join(c10::intrusive_ptr<c10d::Store> store, const cluster::Membership& member,
                                const JoinOptions& options) {
  if (options.backend == "auto" && on_one_host(*store, member, options.limit_seconds)) {
    return std::make_unique<SharedProcesses>(std::move(store), member.rank, member.world_size, options.limit_seconds,
                                             options.silence_seconds);
  }
  const bool all_here = cluster::is_loopback(member.master->host);
  if (!all_here && member.rank == 0)
    log_warning("Gloo's connections between hosts are neither encrypted nor authenticated: use a network you trust");
  return std::make_unique<GlooProcesses>(std::move(store), member.rank, member.world_size, own_host(all_here),
                                         std::chrono::milliseconds(static_cast<int64_t>(options.limit_seconds * 1000)));
}

}  // namespace

std::shared_ptr<Processes> join_processes(const cluster::Membership& member, const JoinOptions& options) {
  if (!member.trains()) {
    throw InvalidArgument(c10::str("cluster: ", member.source, ": only the chief and workers train together, this is ",
                                   cluster::to_string(member.role), " ", member.index));
  }
  if (!member.master || member.master->port == 0) {
    throw InvalidArgument(c10::str("cluster: ", member.source, " says rank ", member.rank, " of ", member.world_size,
                                   ", but not where to meet: set MASTER_ADDR and MASTER_PORT, RANK and WORLD_SIZE"));
  }
  const auto& [host, port] = *member.master;
  const std::chrono::milliseconds limit(static_cast<int64_t>(options.limit_seconds * 1000));
  const cluster::Environment environment;

  std::unique_ptr<MeetingPoint> meeting;
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
    if (member.rank == 0) meeting = std::make_unique<MeetingPoint>(host, port, key);
    store = c10::make_intrusive<MeetingStore>(host, port, key, limit);
  }
  return std::make_shared<AtMeeting>(std::move(meeting), join(std::move(store), member, options));
}

}  // namespace tandem::comm
