#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tandem/comm/brought.h"
#include "tandem/comm/communicator.h"
#include "tandem/comm/local_room.h"

namespace tandem::comm {

class LocalOperation;

/// What a collective does once all ranks are here.
struct LocalSteps {
  /// Goes on as far as it can without waiting; true: this rank has all that it wants, and nobody needs its memory.
  /// `help`: this thread has nothing better to do, so it may do other ranks' work.
  bool (*advance)(LocalOperation& operation, bool help);
  /// Bytes that others took from this rank.
  int64_t (*bytes)(const LocalOperation& operation);
  /// It counts the slot's `reduced` up, by the number of ranks in all.
  bool counts = false;
};

/// One rank's part in one collective: it brings its tensor, waits for the others, checks that all brought what fits,
/// and makes the steps of the algorithm. Used again and again: nothing is allocated for a new collective.
class LocalOperation {
 public:
  /// `slots` are the room's for this kind of call; this is their operation `number`. Their slot must be free.
  void start(LocalRoom& room, LocalSlots& slots, int64_t rank, uint64_t number, Brought brought);
  bool finished() const { return finished_; }
  /// True when it is finished.
  bool advance(bool help);
  /// Drops what it holds.
  void forget();
  /// Calls that did not fit together; empty: they did.
  const std::string& mismatch() const { return mismatch_; }
  const ReduceTimes& times() const { return times_; }
  int64_t bytes() const { return bytes_; }
  /// What is waited for, and for whom, to be used in a message.
  std::string late() const;

  // For the steps.
  LocalRoom& room() const { return *room_; }
  LocalSlot& slot() const { return *slot_; }
  LocalSeat& seat() const { return room_->seat(rank_); }
  int64_t rank() const { return rank_; }
  int64_t ranks() const { return room_->ranks(); }
  int64_t root() const { return brought_.root; }
  LocalEntry& entry(int64_t rank) const { return slot_->entries[static_cast<std::size_t>(rank)]; }
  LocalEntry& mine() const { return entry(rank_); }
  int64_t width() const { return static_cast<int64_t>(c10::elementSize(mine().type)); }
  int64_t bytes_brought() const { return mine().count * width(); }
  uint64_t target() const { return target_; }
  /// Steps of the algorithm that a rank has made; this rank makes them by `reach`.
  bool reached(int64_t rank, uint64_t step) const;
  uint64_t step() const { return step_; }
  void reach(uint64_t step);
  /// Scratch for the steps: addresses by rank.
  std::vector<const void*> addends;
  std::vector<void*> results;

 private:
  enum class State : uint8_t { arriving, explaining, moving };
  bool all_arrived() const { return slot_->arrived.load(std::memory_order_acquire) == target_; }
  bool fits() const;
  bool all_explained();
  void finish();

  LocalRoom* room_ = nullptr;
  LocalSlot* slot_ = nullptr;
  const LocalSteps* steps_ = nullptr;
  int64_t rank_ = 0;
  uint64_t number_ = 0, target_ = 0, step_ = 0;
  Brought brought_;
  State state_ = State::arriving;
  bool finished_ = true;
  ReduceTimes times_;
  int64_t bytes_ = 0;
  std::string mismatch_;
};

}  // namespace tandem::comm
