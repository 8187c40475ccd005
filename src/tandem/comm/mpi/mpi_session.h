#pragma once
#include <mpi.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

namespace tandem::comm {

/// Throws Error that names `call` where MPI's `code` is not MPI_SUCCESS.
void check_mpi(int code, const char* call);

/// MPI in this process. Where the program has begun it, it is only used, and the program ends it; else it is begun
/// here, on a thread of its own, and ended when the program ends with status 0. Never destroyed.
class MpiSession {
 public:
  /// Throws PeerError when MPI_Init does not return within the limit: it waits for all ranks to begin. The session must
  /// stay then, too: its thread may still be in there.
  void begin(std::chrono::milliseconds limit);

  int64_t rank() const { return rank_; }
  int64_t size() const { return size_; }
  /// All ranks, apart from what the program sends over MPI_COMM_WORLD; calls on it return their errors.
  MPI_Comm world() const { return world_; }
  /// False: only the program's own thread may call MPI, as it has asked for.
  bool any_thread_may_call() const { return level_ >= MPI_THREAD_SERIALIZED; }

  /// One call at a time, whatever the level of threads.
  std::unique_lock<std::mutex> lock() { return std::unique_lock(calls_); }
  /// True when the request has ended, and is none any more.
  bool test(MPI_Request& request);
  /// Returns when the request has ended, false when it has not by the limit.
  bool wait(MPI_Request& request, std::chrono::milliseconds limit);
  /// A call of MPI that blocks; throws PeerError that names it where it does not return within the limit. Where threads
  /// may not, it is made by this one, without a limit.
  void run(const char* name, const std::function<void()>& call, std::chrono::milliseconds limit);
  /// A communicator of the ranks that `make` begins to make by a request.
  MPI_Comm duplicate(MPI_Comm of, std::chrono::milliseconds limit);
  /// Something that was begun will not end: then neither would MPI_Finalize, which is left out.
  void give_up() { gave_up_ = true; }

 private:
  void serve();
  void end(int status);

  std::mutex calls_;
  std::mutex jobs_mutex_;
  std::condition_variable jobs_changed_;
  std::deque<std::function<void()>> jobs_;  // for the thread that blocks
  bool has_thread_ = false;
  std::atomic<bool> gave_up_{false};
  int level_ = MPI_THREAD_SINGLE;
  int64_t rank_ = 0, size_ = 1;
  MPI_Comm world_ = MPI_COMM_NULL;
};

}  // namespace tandem::comm
