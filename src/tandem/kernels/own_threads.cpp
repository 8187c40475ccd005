#include "tandem/kernels/own_threads.h"

#include <ATen/Parallel.h>

namespace tandem::kernels {

void set_own_threads(int64_t n) {
  // The default is taken once a thread, but LibTorch's library and code compiled outside of it (at::parallel_for is
  // inline) each remember for themselves whether that has happened: both are asked before the number is set.
  at::internal::lazy_init_num_threads();
  at::get_num_threads();
  at::set_num_threads(static_cast<int>(n));
}

}  // namespace tandem::kernels
