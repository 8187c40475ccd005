#pragma once
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <vector>

namespace tandem::comm {

/// How processes that only have a store in common know of one another's silence: a thread of each counts up in the
/// store every second and looks at the others' counts. What each does at the moment (core/activity.h) stands beside.
class StorePulse {
 public:
  /// `numbers`: of the processes in the whole job, for messages; `own`: this one's place among them.
  StorePulse(const c10d::Store& store, int64_t own, std::vector<int64_t> numbers, double silence_seconds);
  ~StorePulse();
  StorePulse(const StorePulse&) = delete;
  StorePulse& operator=(const StorePulse&) = delete;

  /// "rank 2 has been silent for 10 s; it last reported: data, step 12"; empty: none is.
  std::string silent();

 private:
  struct Seen {
    std::string text;
    double silence = 0;  // seconds of looks that found no other count
  };

  void beat();
  void look(double since_last);

  c10::intrusive_ptr<c10d::Store> store_;
  const int64_t own_;
  const std::vector<int64_t> numbers_;
  const double silence_seconds_;
  int64_t count_ = 0;
  double store_silence_ = 0;  // seconds of looks that the store did not answer
  std::vector<Seen> seen_;
  std::mutex mutex_;
  std::condition_variable stopped_;
  bool stopping_ = false;  // guarded by mutex_
  std::string silent_;     // guarded by mutex_
  std::thread thread_;     // last
};

}  // namespace tandem::comm
