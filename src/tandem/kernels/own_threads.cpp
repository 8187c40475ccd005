#include "tandem/kernels/own_threads.h"

#include <ATen/Parallel.h>

#include <future>
#include <utility>

namespace tandem::kernels {

void set_own_threads(int64_t n) {
  // The default is taken once a thread, but LibTorch's library and code compiled outside of it (at::parallel_for is
  // inline) each remember for themselves whether that has happened: both are asked before the number is set.
  at::internal::lazy_init_num_threads();
  at::get_num_threads();
  at::set_num_threads(static_cast<int>(n));
}

std::thread start_thread(int64_t n, std::function<void()> work) {
  const int before = at::get_num_threads();
  std::promise<void> began;
  std::thread thread([&began, n, work = std::move(work)] {
    set_own_threads(n);
    began.set_value();
    work();
  });
  // Setting a thread's number also sets what threads made later begin with, this one's share among them.
  began.get_future().wait();
  at::set_num_threads(before);
  return thread;
}

}  // namespace tandem::kernels
