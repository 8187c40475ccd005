#include "tandem/comm/local_room.h"

#include <c10/util/ArrayRef.h>
#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"

namespace tandem::comm {
namespace {

constexpr std::size_t kInTurn = 4, kInProgress = 64;

void check_members(const std::vector<int64_t>& ranks, int64_t world_size, int64_t rank) {
  const auto refuse = [&](const std::string& what) {
    throw InvalidArgument(c10::str("subgroup on rank ", rank, ": ", what, ", got ", c10::IntArrayRef(ranks)));
  };
  for (auto r = ranks.begin(); r != ranks.end(); ++r) {
    if (*r < 0 || *r >= world_size) refuse(c10::str("ranks must be in [0, ", world_size, ")"));
    if (std::find(ranks.begin(), r, *r) != r) refuse("ranks must be different");
  }
  if (std::find(ranks.begin(), ranks.end(), rank) == ranks.end()) refuse("must be called by its ranks only");
}

}  // namespace

LocalRoom::LocalRoom(std::shared_ptr<LocalHub> hub, std::vector<int64_t> members)
    : in_turn(kInTurn, members.size()),
      in_progress(kInProgress, members.size()),
      mailboxes(members.size()),
      hub_(std::move(hub)),
      members_(std::move(members)) {}

void LocalRoom::ring_others(int64_t rank) {
  for (int64_t r = 0; r < ranks(); ++r) {
    if (r != rank) seat(r).bell().ring();
  }
}

std::shared_ptr<LocalRoom> LocalRoom::subgroup(int64_t rank, const std::vector<int64_t>& ranks) {
  check_members(ranks, this->ranks(), rank);
  std::lock_guard lock(mutex_);
  auto found = std::find_if(subgroups_.begin(), subgroups_.end(), [&](const Subgroup& group) {
    return group.ranks == ranks && !group.entered[static_cast<std::size_t>(rank)];
  });
  if (found == subgroups_.end()) {
    std::vector<int64_t> seats;
    for (const auto r : ranks) seats.push_back(members_[static_cast<std::size_t>(r)]);
    found = subgroups_.insert(subgroups_.end(), {ranks, std::vector<bool>(members_.size()),
                                                 std::make_shared<LocalRoom>(hub_, std::move(seats))});
  }
  auto room = found->room;
  found->entered[static_cast<std::size_t>(rank)] = true;
  if (std::count(found->entered.begin(), found->entered.end(), true) == room->ranks()) subgroups_.erase(found);
  return room;
}

void LocalRoom::reset() {
  in_turn.reset();
  in_progress.reset();
  for (auto& mailbox : mailboxes) mailbox.reset();
  waiting_for_slot.store(0);
}

}  // namespace tandem::comm
