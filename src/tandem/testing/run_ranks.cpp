#include "tandem/testing/run_ranks.h"

#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "tandem/comm/local_group.h"

namespace tandem::testing {

void run_ranks(int64_t n, const std::function<void(comm::Communicator&)>& act, double limit_seconds) {
  comm::LocalGroup group(n, limit_seconds);
  std::mutex mutex;
  std::exception_ptr first;
  std::vector<std::thread> threads;
  for (int64_t rank = 0; rank < n; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        act(group.rank(rank));
      } catch (const std::exception& error) {
        {
          std::lock_guard lock(mutex);
          if (!first) first = std::current_exception();
        }
        group.abort(error.what());
      }
    });
  }
  for (auto& thread : threads) thread.join();
  if (first) std::rethrow_exception(first);
}

}  // namespace tandem::testing
