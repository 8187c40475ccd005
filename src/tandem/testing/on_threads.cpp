#include "tandem/testing/on_threads.h"

#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace tandem::testing {

void on_threads(int64_t n, const std::function<void(int64_t)>& act,
                const std::function<void(const std::string&)>& failed) {
  std::mutex mutex;
  std::exception_ptr first;
  std::vector<std::thread> threads;
  for (int64_t i = 0; i < n; ++i) {
    threads.emplace_back([&, i] {
      try {
        act(i);
      } catch (const std::exception& error) {
        {
          const std::lock_guard lock(mutex);
          if (!first) first = std::current_exception();
        }
        if (failed) failed(error.what());
      }
    });
  }
  for (auto& thread : threads) thread.join();
  if (first) std::rethrow_exception(first);
}

}  // namespace tandem::testing
