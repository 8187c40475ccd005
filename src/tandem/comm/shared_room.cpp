#include "tandem/comm/shared_room.h"

#include <c10/util/StringUtil.h>

namespace tandem::comm {
namespace {

constexpr std::size_t kLineOfCache = 64, kPage = 4096;

constexpr std::size_t rounded(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

// Parts of the memory, one after the other.
struct Parts {
  explicit Parts(int64_t ranks) {
    const auto n = static_cast<std::size_t>(ranks), lines = static_cast<std::size_t>(SharedRoom::kLines),
               slots = static_cast<std::size_t>(SharedRoom::kSlots);
    notes = kLineOfCache + lines * n * sizeof(SharedMarks);
    pipes = rounded(notes + lines * slots * n * sizeof(SharedNote), kPage);
    pieces = rounded(pipes + n * n * sizeof(SharedPipe), kPage);
    end = pieces + lines * slots * n * static_cast<std::size_t>(SharedRoom::kPieceBytes);
  }
  std::size_t notes, pipes, pieces, end;
};

}  // namespace

std::size_t SharedRoom::bytes(int64_t ranks) { return Parts(ranks).end; }

SharedRoom::SharedRoom(std::shared_ptr<SharedHub> hub, SharedMemory memory, std::vector<int64_t> members)
    : hub_(std::move(hub)), memory_(std::move(memory)), members_(std::move(members)) {
  const Parts parts(ranks());
  notes_ = parts.notes;
  pipes_ = parts.pipes;
  pieces_ = parts.pieces;
}

std::atomic<uint32_t>& SharedRoom::waiting_for_slot() const {
  return *reinterpret_cast<std::atomic<uint32_t>*>(memory_.data());
}

SharedMarks& SharedRoom::marks(Line line, int64_t rank) const {
  return reinterpret_cast<SharedMarks*>(memory_.data() + kLineOfCache)[line * ranks() + rank];
}

SharedNote& SharedRoom::note(Line line, uint64_t piece, int64_t rank) const {
  const auto slot = static_cast<int64_t>(piece % kSlots);
  return reinterpret_cast<SharedNote*>(memory_.data() + notes_)[(line * kSlots + slot) * ranks() + rank];
}

std::byte* SharedRoom::piece(Line line, uint64_t number, int64_t rank) const {
  const auto slot = static_cast<int64_t>(number % kSlots);
  return memory_.data() + pieces_ + ((line * kSlots + slot) * ranks() + rank) * kPieceBytes;
}

SharedPipe& SharedRoom::pipe(int64_t from, int64_t to) const {
  return reinterpret_cast<SharedPipe*>(memory_.data() + pipes_)[from * ranks() + to];
}

void SharedRoom::ring_others(int64_t rank) const {
  for (int64_t r = 0; r < ranks(); ++r) {
    if (r != rank) ring(r);
  }
}

std::string SharedRoom::for_members(const std::vector<int64_t>& late) const {
  if (late.empty()) return "";
  return c10::str(" for rank ", c10::Join(", ", late));
}

}  // namespace tandem::comm
