#include "tandem/kernels/own_threads.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace tandem::kernels {
namespace {

// What a thread has after parallel work of its own and of LibTorch's, while the process's default is another.
int threads_after_work(int own, int default_threads) {
  std::atomic<int> phase = 0;
  int seen = 0;
  std::thread thread([&] {
    set_own_threads(own);
    phase = 1;
    while (phase != 2) std::this_thread::yield();
    at::parallel_for(0, 1 << 20, 1, [](int64_t, int64_t) {});
    at::ones({1 << 20}).add_(1);
    seen = at::get_num_threads();
  });
  while (phase != 1) std::this_thread::yield();
  const int before = at::get_num_threads();
  at::set_num_threads(default_threads);
  phase = 2;
  thread.join();
  at::set_num_threads(before);
  return seen;
}

TEST(OwnThreads, StayWhateverTheDefaultBecomes) {
  EXPECT_EQ(threads_after_work(1, 3), 1);
  EXPECT_EQ(threads_after_work(3, 1), 3);
}

}  // namespace
}  // namespace tandem::kernels
