#include "tandem/comm/join_processes.h"

#include <c10/util/StringUtil.h>

#include "tandem/comm/backend_processes.h"
#include "tandem/comm/gloo_backend.h"
#include "tandem/comm/meeting_place.h"
#include "tandem/comm/mpi_world.h"
#include "tandem/core/error.h"
#include "tandem/core/log.h"

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

 private:
  std::unique_ptr<MeetingPoint> meeting_;  // null elsewhere; ends last
  std::unique_ptr<Processes> processes_;
};

std::unique_ptr<Processes> join(MeetingPlace& place, const cluster::Membership& member, const JoinOptions& options) {
  const std::chrono::milliseconds limit(static_cast<int64_t>(options.limit_seconds * 1000));
  const bool by_mpi = options.backend == "mpi";
  if (!cluster::is_loopback(place.own_address) && member.rank == 0) {
    log_warning(
        c10::str(by_mpi ? "MPI" : "Gloo",
                 "'s connections between hosts are neither encrypted nor authenticated: use a network you trust"));
  }
  ProcessRank::MakeBackend make;
  if (by_mpi) {
    make = [&world = mpi_world(member, limit), limit](const auto& store, int64_t rank, int64_t ranks) {
      return world.make_backend(store, rank, ranks, limit);
    };
  } else {
    make = [host = place.own_address, limit](const auto& store, int64_t rank, int64_t ranks) {
      return make_gloo_backend(store, rank, ranks, host, limit);
    };
  }
  return std::make_unique<BackendProcesses>(place.store, member.rank, member.world_size, limit, std::move(make));
}

}  // namespace

std::shared_ptr<Processes> join_processes(const cluster::Membership& member, const JoinOptions& options) {
  if (!member.trains()) {
    throw InvalidArgument(c10::str("cluster: ", member.source, ": only the chief and workers train together, this is ",
                                   cluster::to_string(member.role), " ", member.index));
  }
  const std::chrono::milliseconds limit(static_cast<int64_t>(options.limit_seconds * 1000));
  if (options.backend == "mpi") mpi_world(member, limit).check_threads();  // before anybody waits for this rank
  auto place = find_meeting_place(member, options.interface, limit);
  auto processes = join(place, member, options);
  return std::make_shared<AtMeeting>(std::move(place.point), std::move(processes));
}

}  // namespace tandem::comm
