#include "tandem/comm/local_slot.h"

namespace tandem::comm {

LocalSlots::LocalSlots(std::size_t slots, std::size_t ranks)
    : slots_(slots),
      // Not initialised: pages that no operation needs are never touched.
      staged_(new std::byte[slots * ranks * kStagedBytes]) {
  std::byte* staged = staged_.get();
  for (auto& slot : slots_) {
    slot.entries = std::vector<LocalEntry>(ranks);
    for (auto& entry : slot.entries) {
      entry.staged = staged;
      staged += kStagedBytes;
    }
  }
}

void LocalSlots::reset() {
  for (auto& slot : slots_) {
    for (auto& entry : slot.entries) entry.progress.store(0);
    slot.arrived.store(0);
    slot.reduced.store(0);
    slot.done.store(0);
  }
}

}  // namespace tandem::comm
