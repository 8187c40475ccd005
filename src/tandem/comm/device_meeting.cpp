#include "tandem/comm/device_meeting.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <chrono>

#include "tandem/core/error.h"
#include "tandem/core/steady_seconds.h"

namespace tandem::comm {
namespace {

// Collectives of a rank that are on their way at once: far more than a model has buckets. A hook of backward must never
// wait for a free one, since the other rank's backward may need the same thread.
constexpr uint64_t kMeetings = 4096;

void clear_meeting(DeviceMeeting& meeting) {
  meeting.left = 0;
  for (auto& part : meeting.parts) {
    part.stage = 0;
    part.brought = part.target = Tensor();
  }
}

}  // namespace

DevicePart::DevicePart(c10::DeviceType type) {
  for (int64_t i = 0; i < kStages; ++i) events.emplace_back(type);
}

DeviceMeetings::DeviceMeetings(std::vector<c10::Device> devices, double limit_seconds,
                               MakeDeviceBackends* make_backends)
    : devices_(std::move(devices)), limit_seconds_(limit_seconds), make_backends_(make_backends), meetings_(kMeetings) {
  if (make_backends_ && world_size() > 1) make_backends_(world_size(), limit_seconds_, backends_);
}

DeviceBackend* DeviceMeetings::backend(int64_t rank) const {
  return backends_.empty() ? nullptr : backends_[static_cast<std::size_t>(rank)].get();
}

DeviceMeeting& DeviceMeetings::meeting(int64_t rank, uint64_t number) {
  std::unique_lock lock(mutex_);
  auto& place = meetings_[number % kMeetings];
  if (!place) {
    place = std::make_unique<DeviceMeeting>();
    for (const auto& device : devices_) place->parts.emplace_back(device.type());
  }
  DeviceMeeting& meeting = *place;
  // What this rank itself left behind is gone when the last rank has left, too.
  wait_for(
      lock, rank, "for an earlier collective to end",
      [&] { return meeting.parts[static_cast<std::size_t>(rank)].stage == 0; },
      [&] { return c10::str(world_size() - meeting.left, " ranks that are still in it"); });
  return meeting;
}

void DeviceMeetings::reach(DeviceMeeting& meeting, int64_t rank, int64_t stage) {
  {
    const std::lock_guard lock(mutex_);
    meeting.parts[static_cast<std::size_t>(rank)].stage = stage;
  }
  changed_.notify_all();
}

bool DeviceMeetings::reached(const DeviceMeeting& meeting, int64_t stage) {
  return std::all_of(meeting.parts.begin(), meeting.parts.end(), [&](const auto& part) { return part.stage >= stage; });
}

bool DeviceMeetings::all_reached(const DeviceMeeting& meeting, int64_t stage) {
  const std::lock_guard lock(mutex_);
  return !broken_ && reached(meeting, stage);
}

std::string DeviceMeetings::behind(const DeviceMeeting& meeting, int64_t stage) const {
  std::string ranks;
  for (std::size_t r = 0; r < meeting.parts.size(); ++r) {
    if (meeting.parts[r].stage < stage) ranks += c10::str(ranks.empty() ? "rank " : ", ", r);
  }
  return ranks;
}

void DeviceMeetings::wait_for(std::unique_lock<std::mutex>& lock, int64_t rank, const char* what,
                              const std::function<bool()>& ready, const std::function<std::string()>& missing) {
  const bool in_time =
      changed_.wait_for(lock, std::chrono::duration<double>(limit_seconds_), [&] { return broken_ || ready(); });
  if (!in_time) {
    broken_ = c10::str("rank ", rank, ": waited ", limit_seconds_, " s ", what, " for ", missing());
    changed_.notify_all();
  }
  if (broken_) throw PeerError(c10::str("rank ", rank, " of ", world_size(), ": stopped, ", *broken_));
}

double DeviceMeetings::wait(const DeviceMeeting& meeting, int64_t rank, int64_t stage, const char* what) {
  const double start = steady_seconds();
  std::unique_lock lock(mutex_);
  wait_for(
      lock, rank, what, [&] { return reached(meeting, stage); }, [&] { return behind(meeting, stage); });
  return steady_seconds() - start;
}

void DeviceMeetings::leave(DeviceMeeting& meeting) {
  {
    const std::lock_guard lock(mutex_);
    if (++meeting.left < world_size()) return;
    clear_meeting(meeting);
  }
  changed_.notify_all();
}

void DeviceMeetings::post(const Address& address, std::shared_ptr<Letter> letter) {
  {
    const std::lock_guard lock(mutex_);
    letters_[address].push_back(std::move(letter));
  }
  changed_.notify_all();
}

std::shared_ptr<DeviceMeetings::Letter> DeviceMeetings::take(const Address& address) {
  std::unique_lock lock(mutex_);
  auto& box = letters_[address];
  wait_for(
      lock, address.to, "in recv", [&] { return !box.empty(); }, [&] { return c10::str("rank ", address.from); });
  auto letter = box.front();
  box.erase(box.begin());
  return letter;
}

void DeviceMeetings::finish(Letter& letter) {
  {
    const std::lock_guard lock(mutex_);
    letter.done = true;
  }
  changed_.notify_all();
}

void DeviceMeetings::wait_taken(const Letter& letter, const Address& address) {
  std::unique_lock lock(mutex_);
  wait_for(
      lock, address.from, "in send", [&] { return letter.done; }, [&] { return c10::str("rank ", address.to); });
}

std::shared_ptr<DeviceMeetings> DeviceMeetings::subgroup(const std::vector<int64_t>& ranks) {
  const std::lock_guard lock(mutex_);
  auto& forming = forming_[ranks];
  if (!forming.group) {
    std::vector<c10::Device> devices;
    for (const int64_t r : ranks) devices.push_back(device(r));
    forming.group = std::make_shared<DeviceMeetings>(std::move(devices), limit_seconds_, make_backends_);
    subgroups_.push_back(forming.group);
  }
  const auto group = forming.group;
  if (++forming.taken == ranks.size()) forming_.erase(ranks);
  return group;
}

void DeviceMeetings::abort(const std::string& reason) {
  std::vector<std::weak_ptr<DeviceMeetings>> subgroups;
  {
    const std::lock_guard lock(mutex_);
    if (!broken_) broken_ = reason;
    subgroups = subgroups_;
  }
  changed_.notify_all();
  for (const auto& subgroup : subgroups) {
    if (const auto group = subgroup.lock()) group->abort(reason);
  }
}

void DeviceMeetings::reset() {
  const std::lock_guard lock(mutex_);
  broken_.reset();
  letters_.clear();
  forming_.clear();
  for (auto& meeting : meetings_) {
    if (meeting) clear_meeting(*meeting);
  }
  for (const auto& subgroup : subgroups_) {
    if (const auto group = subgroup.lock()) group->reset();
  }
}

}  // namespace tandem::comm
