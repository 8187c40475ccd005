#include "tandem/kernels/memory_account.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"

namespace tandem::kernels {

void MemoryAccount::check(int64_t bytes, std::size_t asked) const {
  const int64_t in_use = in_use_.load(std::memory_order_relaxed);
  if (in_use + bytes <= limit_) return;
  throw InvalidArgument(c10::str(who_, ": out of memory: memory_limit is ", limit_, " bytes, ", in_use,
                                 " are in use and ", asked, " more were asked for"));
}

void MemoryAccount::charge(int64_t bytes) {
  in_use_.fetch_add(bytes, std::memory_order_relaxed);
  holders_.fetch_add(1, std::memory_order_relaxed);
}

void MemoryAccount::credit(int64_t bytes) {
  in_use_.fetch_sub(bytes, std::memory_order_relaxed);
  let_go();
}

}  // namespace tandem::kernels
