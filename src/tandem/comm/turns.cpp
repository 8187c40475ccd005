#include "tandem/comm/turns.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"

namespace tandem::comm {

Turns::Turns(int64_t at_once) : free_(at_once) {
  if (at_once < 1) throw InvalidArgument(c10::str("Turns: at_once must be at least 1, got ", at_once));
}

void Turns::acquire() {
  std::unique_lock lock(mutex_);
  ++wanting_;
  freed_.wait(lock, [this] { return free_ > 0; });
  --wanting_;
  --free_;
}

void Turns::release() {
  {
    std::lock_guard lock(mutex_);
    ++free_;
  }
  freed_.notify_one();
}

}  // namespace tandem::comm
