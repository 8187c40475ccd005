#pragma once
#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tandem/comm/local_hub.h"
#include "tandem/comm/local_mailbox.h"
#include "tandem/comm/local_seat.h"
#include "tandem/comm/local_slot.h"

namespace tandem::comm {

/// What the ranks of one communicator share: where they meet, and who they are. A sub-group has a room of its own.
class LocalRoom {
 public:
  /// `members`: seats of the hub, by rank of this communicator.
  LocalRoom(std::shared_ptr<LocalHub> hub, std::vector<int64_t> members);

  LocalHub& hub() { return *hub_; }
  int64_t ranks() const { return static_cast<int64_t>(members_.size()); }
  LocalSeat& seat(int64_t rank) { return hub_->seat(members_[static_cast<std::size_t>(rank)]); }
  /// Rings for all but `rank`.
  void ring_others(int64_t rank);
  /// " for rank 1, 3": ranks for which `is_late` holds, by their numbers in the whole group.
  template <class IsLate>
  std::string for_ranks(IsLate is_late) const {
    std::string names;
    for (std::size_t r = 0; r < members_.size(); ++r) {
      if (is_late(static_cast<int64_t>(r)))
        names += (names.empty() ? " for rank " : ", ") + std::to_string(members_[r]);
    }
    return names;
  }
  /// The room of a sub-group: for the nth call with the same members every one of them gets the same.
  std::shared_ptr<LocalRoom> subgroup(int64_t rank, const std::vector<int64_t>& ranks);
  void reset();

  LocalSlots in_turn;      // calls that return when they are finished: a rank is ahead of the others by one at most
  LocalSlots in_progress;  // operations that were only started
  std::vector<LocalMailbox> mailboxes;  // by receiver
  std::atomic<int64_t> waiting_for_slot{0};

 private:
  struct Subgroup {
    std::vector<int64_t> ranks;
    std::vector<bool> entered;  // by rank of this room
    std::shared_ptr<LocalRoom> room;
  };

  const std::shared_ptr<LocalHub> hub_;
  const std::vector<int64_t> members_;
  std::mutex mutex_;
  std::list<Subgroup> subgroups_;  // that not all of their members have entered; guarded by mutex_
};

}  // namespace tandem::comm
