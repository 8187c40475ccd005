#include "tandem/comm/join_processes.h"

#include <c10/util/StringUtil.h>

#include "tandem/comm/backend_processes.h"
#include "tandem/comm/gloo_backend.h"
#include "tandem/comm/hosts_processes.h"
#include "tandem/comm/meeting_place.h"
#include "tandem/comm/mpi_world.h"
#include "tandem/comm/shared_processes.h"
#include "tandem/comm/wait_for_ranks.h"
#include "tandem/core/error.h"
#include "tandem/core/log.h"
#include "tandem/core/steady_seconds.h"

namespace tandem::comm {
namespace {

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

// Where each process is.
std::vector<std::string> places_of(c10d::Store& store, const cluster::Membership& member, double limit_seconds) {
  const auto key_of = [](int64_t rank) { return c10::str("place of ", rank); };
  store.set(key_of(member.rank), shared_memory_place());
  wait_for_ranks(store, "places", member.rank, member.world_size, limit_seconds);
  std::vector<std::string> places;
  for (int64_t r = 0; r < member.world_size; ++r) places.push_back(store.get_to_str(key_of(r)));
  return places;
}

// How backends that the options name, or need between hosts, are made.
ProcessRank::MakeBackend backend_maker(const MeetingPlace& place, const cluster::Membership& member,
                                       const JoinOptions& options) {
  const auto limit = milliseconds_of(options.limit_seconds);
  const bool by_mpi = options.backend == "mpi";
  if (!cluster::is_loopback(place.own_address) && member.rank == 0) {
    log_warning(
        c10::str(by_mpi ? "MPI" : "Gloo",
                 "'s connections between hosts are neither encrypted nor authenticated: use a network you trust"));
  }
  if (by_mpi) {
    return [&world = mpi_world(member, limit), host = place.own_address, limit](const auto& store, int64_t rank,
                                                                                int64_t ranks) {
      auto backend = world.make_backend(store, rank, ranks, limit);
      backend.host = host;
      return backend;
    };
  }
  return [host = place.own_address, limit](const auto& store, int64_t rank, int64_t ranks) {
    return make_gloo_backend(store, rank, ranks, host, limit);
  };
}

std::unique_ptr<Processes> join(MeetingPlace& place, const cluster::Membership& member, const JoinOptions& options) {
  std::optional<HostPlan> plan;
  if (options.backend == "auto") plan = plan_hosts(places_of(*place.store, member, options.limit_seconds));
  if (plan && plan->hosts() == 1) {
    return std::make_unique<SharedProcesses>(place.store, OneHost{member.rank, member.world_size},
                                             options.limit_seconds, options.silence_seconds);
  }
  auto make_backend = backend_maker(place, member, options);
  const BackendProcesses::Options limits{options.limit_seconds, options.silence_seconds, {}};
  if (plan) return std::make_unique<HostsProcesses>(place.store, member.rank, *plan, limits, std::move(make_backend));
  return std::make_unique<BackendProcesses>(place.store, member.rank, member.world_size, limits,
                                            std::move(make_backend));
}

}  // namespace

std::shared_ptr<Processes> join_processes(const cluster::Membership& member, const JoinOptions& options) {
  if (!member.trains()) {
    throw InvalidArgument(c10::str("cluster: ", member.source, ": only the chief and workers train together, this is ",
                                   cluster::to_string(member.role), " ", member.index));
  }
  const auto limit = milliseconds_of(options.limit_seconds);
  if (options.backend == "mpi") mpi_world(member, limit).check_threads();  // before anybody waits for this rank
  auto place = find_meeting_place(member, options.interface, limit);
  auto processes = join(place, member, options);
  // Rank 0 has the keys that the others still look at: it goes on when all have joined.
  if (member.rank == 0) {
    wait_for_ranks(*place.store, "joined", 0, member.world_size, options.limit_seconds);
  } else {
    place.store->set(c10::str("joined/", member.rank), std::string("1"));
  }
  return std::make_shared<AtMeeting>(std::move(place.point), std::move(processes));
}

}  // namespace tandem::comm
