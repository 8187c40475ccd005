#pragma once
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace tandem::distribute {

/// One pass of several threads over pieces of work that need one another, each piece by one thread. A wait for a
/// piece has a limit and names it (PeerError); when a piece fails, nobody begins another one.
class PlacedRound {
 public:
  /// `needs[i]`: the pieces that must have ended before piece i begins. `workers`: threads that will call work.
  PlacedRound(std::vector<std::vector<std::size_t>> needs, std::size_t workers, double limit_seconds = 600);

  /// Does `pieces` in their order by `piece(i)`, each when what it needs has ended, and counts this worker as done.
  /// Does not throw; what was thrown is kept. `name(i)` says what piece i is, for messages. Returns the seconds that it
  /// waited.
  double work(const std::vector<std::size_t>& pieces, const std::function<void(std::size_t)>& piece,
              const std::function<std::string(std::size_t)>& name);
  /// Returns the seconds that it took until all workers were done; throws what failed first.
  double finish();

 private:
  // False when something failed.
  bool await(std::size_t i, const std::function<std::string(std::size_t)>& name);
  void fail(std::exception_ptr failure);

  const std::vector<std::vector<std::size_t>> needs_;
  const double limit_;
  std::vector<std::atomic<bool>> ended_;
  std::atomic<std::size_t> working_;
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::exception_ptr failure_;  // guarded by mutex_
};

}  // namespace tandem::distribute
