#pragma once
#include <c10/core/ScalarType.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tandem/comm/algorithm.h"

namespace tandem::comm {

/// How far a rank is, as one number that only grows: operation `number`, and steps made in it.
constexpr uint64_t progress_mark(uint64_t number, uint64_t step) { return ((number + 1) << 16) + step; }
constexpr uint64_t kFinishedStep = 0xffff;  // beyond those of all algorithms

/// What one rank brought to the collective in a slot. Its rank writes the plain members before it arrives; the others
/// read them afterwards, until they are done.
struct alignas(64) LocalEntry {
  const void* data = nullptr;  // what others take
  void* result = nullptr;      // where they may put the sum
  int64_t count = 0;           // elements of data
  c10::ScalarType type = c10::ScalarType::Float;
  bool wants_result = true;
  uint64_t signature = 0;  // equal for calls that fit together
  double started = 0;
  std::byte* staged = nullptr;  // room for a copy of small data, so that nobody need wait until it was read
  std::string call,
      described;  // where signatures differ: what was called with what

  /// progress_mark of its rank.
  std::atomic<uint64_t> progress{0};
  // A slice is added up chunk by chunk, mostly but not only by its rank.
  alignas(64) std::atomic<int64_t> next_chunk{0};
  std::atomic<int64_t> finished_chunks{0};
};

/// Where the ranks of a communicator meet for one collective. Slots are used in turn, again and again, so the counters
/// only grow: operation n of a ring of s slots and r ranks is the (n / s + 1)th in its slot, and all have arrived when
/// `arrived` is (n / s + 1) * r.
struct LocalSlot {
  std::vector<LocalEntry> entries;  // by rank
  alignas(64) std::atomic<uint64_t> arrived{0};
  alignas(64) std::atomic<uint64_t> reduced{0};  // slices that are added up, or ranks that have taken what they need
  alignas(64) std::atomic<uint64_t> done{0};     // ranks that look at entries no more
};

/// Slots for collectives that follow one another; as many as may be in progress.
class LocalSlots {
 public:
  /// Data up to this size are staged: 4 KiB, since then an exchange is all waiting and no copying.
  static constexpr int64_t kStagedBytes = 4096;

  LocalSlots(std::size_t slots, std::size_t ranks);
  std::size_t size() const { return slots_.size(); }
  LocalSlot& of(uint64_t number) { return slots_[number % slots_.size()]; }
  /// What a counter of the slot is when all `ranks` have counted for operation `number`.
  uint64_t target(uint64_t number, int64_t ranks) const {
    return (number / slots_.size() + 1) * static_cast<uint64_t>(ranks);
  }
  void reset();

 private:
  std::vector<LocalSlot> slots_;
  std::unique_ptr<std::byte[]> staged_;
};

}  // namespace tandem::comm
