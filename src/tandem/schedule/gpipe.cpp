#include "tandem/schedule/gpipe.h"

namespace tandem::schedule {

Instructions gpipe(int64_t stage, const Division& division) {
  check("gpipe", division);
  std::vector<Pass> passes;
  for (int64_t chunk = 0; chunk < division.chunks; ++chunk) {
    for (int64_t m = 0; m < division.micro_batches; ++m) passes.push_back({true, m, chunk});
  }
  for (int64_t chunk = division.chunks; chunk-- > 0;) {
    for (int64_t m = 0; m < division.micro_batches; ++m) passes.push_back({false, m, chunk});
  }
  return with_transfers(stage, division, passes);
}

}  // namespace tandem::schedule
