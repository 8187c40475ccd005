#include "tandem/comm/join_processes.h"

#include <c10/util/StringUtil.h>

#include "tandem/comm/gloo_processes.h"
#include "tandem/comm/meeting_place.h"
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

}  // namespace

std::shared_ptr<Processes> join_processes(const cluster::Membership& member, const JoinOptions& options) {
  if (!member.trains()) {
    throw InvalidArgument(c10::str("cluster: ", member.source, ": only the chief and workers train together, this is ",
                                   cluster::to_string(member.role), " ", member.index));
  }
  const std::chrono::milliseconds limit(static_cast<int64_t>(options.limit_seconds * 1000));
  auto place = find_meeting_place(member, options.interface, limit);
  if (!cluster::is_loopback(place.own_address) && member.rank == 0)
    log_warning("Gloo's connections between hosts are neither encrypted nor authenticated: use a network you trust");
  auto processes =
      std::make_unique<GlooProcesses>(std::move(place.store), member.rank, member.world_size, place.own_address, limit);
  return std::make_shared<AtMeeting>(std::move(place.point), std::move(processes));
}

}  // namespace tandem::comm
