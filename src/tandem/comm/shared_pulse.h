#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tandem/comm/shared_memory.h"

namespace tandem::comm {

/// How the processes of a job on one host know of one another's ends. Each has a place in shared memory that falls free
/// when it ends, however that comes, and a thread that counts up there while it can run. What it does at the moment
/// (core/activity.h) stands beside.
class SharedPulse {
 public:
  static std::size_t bytes(int64_t processes);
  /// `silence_seconds`: after so long without a count a process is given up. All must have been made before find_lost.
  SharedPulse(SharedMemory memory, int64_t process, int64_t processes, double silence_seconds);
  /// Says that it leaves.
  ~SharedPulse();
  SharedPulse(const SharedPulse&) = delete;
  SharedPulse& operator=(const SharedPulse&) = delete;

  std::string address() const { return memory_.address(); }

  struct Lost {
    int64_t process;
    std::string why;  // "has been silent for 10 s; it last reported: data, step 12"; or "is lost; ...", "has left; ..."
  };
  /// One that has ended or fallen silent. Cheap enough to be asked ten times a second by every thread.
  std::optional<Lost> find_lost();
  /// "data, step 12"
  std::string last_report(int64_t process) const;

 private:
  struct Entry;
  Entry& entry(int64_t process) const;
  void beat();

  struct Seen {
    uint64_t count = 0;
    int64_t looks = 0;  // since it last changed: this process's own sleep must not count as the other's silence
  };

  SharedMemory memory_;
  const int64_t own_, processes_;
  const double silence_seconds_;
  std::mutex look_;
  std::vector<Seen> seen_;    // guarded by look_
  double last_look_ = 0;      // guarded by look_
  std::optional<Lost> lost_;  // guarded by look_
  std::mutex stop_;
  std::condition_variable stopped_;
  bool stopping_ = false;  // guarded by stop_
  std::thread thread_;
};

}  // namespace tandem::comm
