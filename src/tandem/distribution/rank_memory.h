#pragma once
#include <c10/util/StringUtil.h>

#include <cstdint>

#include "tandem/kernels/cpu_allocator.h"

namespace tandem::distribute {

/// How much memory of CPU tensors a rank may have.
struct RankMemory {
  int64_t limit = 0;  // bytes; 0: as many as there are
  /// Where each rank of the job has one of several parts of the model, its number there is that among those with this
  /// part, times the parts, and the part's.
  int64_t parts = 1, part = 0;

  /// To be called on the rank's own thread, before it takes any: beyond the limit that throws InvalidArgument that
  /// names it.
  void begin(int64_t rank) const {
    if (limit > 0) kernels::limit_memory_of_thread(limit, c10::str("rank ", rank * parts + part));
  }
};

}  // namespace tandem::distribute
