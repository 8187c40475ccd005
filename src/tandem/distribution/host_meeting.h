#pragma once
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace tandem::distribute {

/// Where the replicas of a step meet for work that is done once for all of them.
class HostMeeting {
 public:
  explicit HostMeeting(int64_t ranks, double limit_seconds = 600);

  /// For the next calls: which ranks come. None may be in one.
  void expect(std::vector<bool> ranks);
  /// Returns when all expected ranks have come and `work`, which the last one calls, has ended; throws what it threw.
  /// `what` names the work: all ranks must come for the same. Throws PeerError that names who is missing when the limit
  /// passes, or gives the reason of abort.
  void meet(int64_t rank, const std::string& what, const std::function<void()>& work);
  /// Ends the waits of all ranks, now and until the next expect.
  void abort(const std::string& reason);

 private:
  std::string missing() const;

  const double limit_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<bool> expected_, come_;
  std::string what_;
  uint64_t meetings_ = 0;
  bool aborted_ = false;
  std::string reason_;
  std::exception_ptr failure_;  // of the last meeting
};

}  // namespace tandem::distribute
