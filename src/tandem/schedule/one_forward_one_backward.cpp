#include "tandem/schedule/one_forward_one_backward.h"

#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"

namespace tandem::schedule {

Instructions one_forward_one_backward(int64_t stage, const Division& division) {
  check("1f1b", division);
  if (division.chunks != 1)
    throw InvalidArgument(c10::str("1f1b: chunks must be 1, got ", division.chunks, "; interleaved takes several"));
  const int64_t ahead = std::min(division.stages - stage - 1, division.micro_batches);
  std::vector<Pass> passes;
  for (int64_t m = 0; m < ahead; ++m) passes.push_back({true, m, 0});
  for (int64_t m = ahead; m < division.micro_batches; ++m) {
    passes.push_back({true, m, 0});
    passes.push_back({false, m - ahead, 0});
  }
  for (int64_t m = division.micro_batches - ahead; m < division.micro_batches; ++m) passes.push_back({false, m, 0});
  return with_transfers(stage, division, passes);
}

}  // namespace tandem::schedule
