#include "tandem/schedule/interleaved.h"

#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"

namespace tandem::schedule {

Instructions interleaved(int64_t stage, const Division& division) {
  check("interleaved", division);
  const auto [stages, micro_batches, chunks] = division;
  if (micro_batches % stages != 0) {
    throw InvalidArgument(
        c10::str("interleaved: micro batches must be a multiple of the stages, ", stages, ", got ", micro_batches));
  }
  // The k-th pass in either direction: a group of micro batches goes through one chunk after the other.
  const auto pass = [&](bool forward, int64_t k) {
    const int64_t group = k / (stages * chunks), within = k % (stages * chunks);
    const int64_t chunk = within / stages;
    return Pass{forward, group * stages + within % stages, forward ? chunk : chunks - 1 - chunk};
  };
  const int64_t all = micro_batches * chunks;
  // A gradient comes back after the other chunks of a group and twice the way to the last stage.
  const int64_t ahead = micro_batches == stages ? all : std::min((stages - stage - 1) * 2 + (chunks - 1) * stages, all);
  std::vector<Pass> passes;
  for (int64_t k = 0; k < ahead; ++k) passes.push_back(pass(true, k));
  for (int64_t k = ahead; k < all; ++k) {
    passes.push_back(pass(true, k));
    passes.push_back(pass(false, k - ahead));
  }
  for (int64_t k = all - ahead; k < all; ++k) passes.push_back(pass(false, k));
  return with_transfers(stage, division, passes);
}

}  // namespace tandem::schedule
