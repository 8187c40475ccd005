#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tandem/comm/shared_hub.h"
#include "tandem/comm/shared_memory.h"

namespace tandem::comm {

/// How far a rank is with the pieces that it exchanges: pieces that it has brought, has done its part of, and needs
/// from nobody any more. The numbers only grow.
struct alignas(64) SharedMarks {
  std::atomic<uint64_t> brought, added, taken;
};

/// What a rank says of the operation whose first piece it brings.
struct SharedNote {
  uint64_t signature;
  double started;
  char call[64], described[184];
};

/// Messages from one rank to another on their way: a stream of bytes.
struct SharedPipe {
  static constexpr std::size_t kBytes = 32 << 10;
  alignas(64) std::atomic<uint64_t> written;
  alignas(64) std::atomic<uint64_t> read;
  std::byte bytes[kBytes];
};

/// The memory in which the ranks of one communicator meet. A sub-group has a room of its own.
class SharedRoom {
 public:
  /// Operations that return when they are finished, and those that are only started.
  enum Line : int64_t { in_turn, in_progress };
  static constexpr int64_t kLines = 2;
  static constexpr int64_t kSlots = 4;  // pieces of a line that are in the memory at a time
  static constexpr int64_t kPieceBytes = 256 << 10;

  static std::size_t bytes(int64_t ranks);
  /// `members`: ranks of the hub, by rank of this communicator. `name`: of its sub-groups' beginnings.
  SharedRoom(std::shared_ptr<SharedHub> hub, SharedMemory memory, std::vector<int64_t> members);

  SharedHub& hub() const { return *hub_; }
  const std::shared_ptr<SharedHub>& shared_hub() const { return hub_; }
  int64_t ranks() const { return static_cast<int64_t>(members_.size()); }
  int64_t member(int64_t rank) const { return members_[static_cast<std::size_t>(rank)]; }
  std::string address() const { return memory_.address(); }

  SharedMarks& marks(Line line, int64_t rank) const;
  SharedNote& note(Line line, uint64_t piece, int64_t rank) const;
  /// Where `rank` puts what it brings as piece number `piece`.
  std::byte* piece(Line line, uint64_t number, int64_t rank) const;
  SharedPipe& pipe(int64_t from, int64_t to) const;
  /// Ranks that wait for others to need pieces no more.
  std::atomic<uint32_t>& waiting_for_slot() const;

  void ring(int64_t rank) const { hub_->bell(member(rank)).ring(); }
  void ring_others(int64_t rank) const;
  /// " for rank 1, 3": those for which `is_late` holds.
  template <class IsLate>
  std::string for_ranks(IsLate is_late) const {
    std::vector<int64_t> late;
    for (int64_t r = 0; r < ranks(); ++r) {
      if (is_late(r)) late.push_back(member(r));
    }
    return for_members(late);
  }

 private:
  std::string for_members(const std::vector<int64_t>& late) const;

  const std::shared_ptr<SharedHub> hub_;
  SharedMemory memory_;
  const std::vector<int64_t> members_;
  // Where things begin in the memory.
  std::size_t notes_, pipes_, pieces_;
};

}  // namespace tandem::comm
