#pragma once
#include <c10/core/Device.h>
#include <c10/core/Event.h>

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "tandem/comm/device_backend.h"

namespace tandem::comm {

enum class DeviceMove { all_reduce, reduce_scatter, all_gather, broadcast };

/// What one rank brought to a collective, and how far it is.
struct DevicePart {
  explicit DevicePart(c10::DeviceType type);
  DeviceMove move = DeviceMove::all_reduce;
  int64_t root = 0;
  Tensor brought, target;
  /// 0: not there. n: the work of n - 1 phases is on the rank's stream, and the events before n are recorded.
  int64_t stage = 0;
  std::vector<c10::Event> events;  // kStages of them; the first: `brought` is ready
};

inline constexpr int64_t kStages = 3;  // brought, and at most two phases

/// One collective. A meeting is used again when all have left it.
struct DeviceMeeting {
  std::vector<DevicePart> parts;  // by rank
  int64_t left = 0;               // ranks that are through
};

/// Where the ranks of a group of GPUs, threads of this process, meet. Only the waits of the host are here; what the
/// cards wait for are events.
class DeviceMeetings {
 public:
  /// `make_backends`: null where ranks add up and copy each other's tensors themselves.
  DeviceMeetings(std::vector<c10::Device> devices, double limit_seconds, MakeDeviceBackends* make_backends);

  int64_t world_size() const { return static_cast<int64_t>(devices_.size()); }
  c10::Device device(int64_t rank) const { return devices_[static_cast<std::size_t>(rank)]; }
  DeviceBackend* backend(int64_t rank) const;

  /// The meeting of operation `number`, counted alike by all ranks; waits until all have left the one it was before.
  DeviceMeeting& meeting(int64_t rank, uint64_t number);
  /// Tells that `rank` has come to `stage`.
  void reach(DeviceMeeting& meeting, int64_t rank, int64_t stage);
  bool all_reached(const DeviceMeeting& meeting, int64_t stage);
  /// Returns when all ranks have come to `stage`, and the seconds that took. Throws PeerError when they do not within
  /// the limit, naming who is missing, or when the group is broken.
  double wait(const DeviceMeeting& meeting, int64_t rank, int64_t stage, const char* what);
  void leave(DeviceMeeting& meeting);

  /// A tensor on its way from one rank to another.
  struct Letter {
    explicit Letter(c10::DeviceType type) : ready(type), taken(type) {}
    Tensor tensor;
    c10::Event ready, taken;
    bool done = false;
  };
  struct Address {
    int64_t from, to, tag;
    auto operator<=>(const Address&) const = default;
  };
  void post(const Address& address, std::shared_ptr<Letter> letter);
  std::shared_ptr<Letter> take(const Address& address);
  void finish(Letter& letter);
  void wait_taken(const Letter& letter, const Address& address);

  /// What the ranks `ranks` of this group have in common; each of them asks once.
  std::shared_ptr<DeviceMeetings> subgroup(const std::vector<int64_t>& ranks);

  void abort(const std::string& reason);
  void reset();

 private:
  // Waits, with the lock, until `ready`; `missing` is asked for who has not come.
  void wait_for(std::unique_lock<std::mutex>& lock, int64_t rank, const char* what, const std::function<bool()>& ready,
                const std::function<std::string()>& missing);
  static bool reached(const DeviceMeeting& meeting, int64_t stage);
  std::string behind(const DeviceMeeting& meeting, int64_t stage) const;

  const std::vector<c10::Device> devices_;
  const double limit_seconds_;
  MakeDeviceBackends* const make_backends_;
  std::vector<std::unique_ptr<DeviceBackend>> backends_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<std::string> broken_;
  std::vector<std::unique_ptr<DeviceMeeting>> meetings_;
  std::map<Address, std::vector<std::shared_ptr<Letter>>> letters_;
  struct Forming {
    std::shared_ptr<DeviceMeetings> group;
    std::size_t taken = 0;
  };
  std::map<std::vector<int64_t>, Forming> forming_;
  std::vector<std::weak_ptr<DeviceMeetings>> subgroups_;  // broken with this one
};

}  // namespace tandem::comm
