#pragma once
#include <cstdint>
#include <functional>
#include <thread>

namespace tandem::kernels {

/// Lets LibTorch use `n` threads for operations of the calling thread, for good. at::set_num_threads alone is undone by
/// the first parallel operation of a thread, which takes the process's default; it also changes that default, which is
/// what threads made later begin with.
void set_own_threads(int64_t n);

/// A thread that does `work` with `n` threads for its operations. What the calling thread has stays.
std::thread start_thread(int64_t n, std::function<void()> work);

}  // namespace tandem::kernels
