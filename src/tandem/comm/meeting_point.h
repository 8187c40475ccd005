#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "tandem/comm/job_key.h"

namespace tandem::comm {

/// Where the processes of a job meet: a table of keys on a socket of ZeroMQ, served by a thread of rank 0's process.
/// With a key everything is encrypted by CurveZMQ and only those that have it are answered. Without one it listens on
/// the loopback interface alone.
class MeetingPoint {
 public:
  /// `host`: loopback, or any other name for all interfaces. `port` 0: a free one. Throws InvalidArgument beyond
  /// loopback without a key, or when the port cannot be had.
  MeetingPoint(const std::string& host, int64_t port, const std::optional<JobKey>& key);
  /// Stops answering.
  ~MeetingPoint();
  MeetingPoint(const MeetingPoint&) = delete;
  MeetingPoint& operator=(const MeetingPoint&) = delete;

  int64_t port() const;

 private:
  class Server;
  std::unique_ptr<Server> server_;
};

/// No message of a meeting is longer.
inline constexpr int64_t kLongestMeetingMessage = 64 << 20;

}  // namespace tandem::comm
