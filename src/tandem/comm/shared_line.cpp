#include "tandem/comm/shared_line.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "tandem/comm/sum_tree.h"
#include "tandem/core/steady_seconds.h"

namespace tandem::comm {
namespace {

// Up to here an exchange is all waiting and no adding: 4 KiB, as LocalSlots::kStagedBytes.
constexpr int64_t kSmallBytes = 4096;

void put(char* to, std::size_t room, const std::string& text) {
  const auto length = std::min(text.size(), room - 1);
  std::memcpy(to, text.data(), length);
  to[length] = 0;
}

void copy_bytes(std::byte* to, const std::byte* from, int64_t bytes) {
  if (bytes > 0) std::memcpy(to, from, static_cast<std::size_t>(bytes));
}

const std::byte* data_of(const Tensor& tensor) { return static_cast<const std::byte*>(tensor.const_data_ptr()); }
std::byte* memory_of(const Tensor& tensor) { return static_cast<std::byte*>(tensor.mutable_data_ptr()); }

}  // namespace

Span SharedLine::Operation::span(int64_t piece) const {
  return {piece * piece_elements, std::min(count, (piece + 1) * piece_elements)};
}

bool SharedLine::Operation::small() const {
  return brought.kind == Collective::all_reduce && count * width <= kSmallBytes;
}

uint64_t SharedLine::start(Brought brought) {
  while (oldest_ < next_ && at(oldest_).finished && !at(oldest_).wanted) ++oldest_;
  if (next_ - oldest_ == operations_.size()) {
    std::vector<Operation> more(2 * operations_.size());
    for (uint64_t n = oldest_; n < next_; ++n) more[n % more.size()] = std::move(at(n));
    operations_ = std::move(more);
  }
  auto& one = at(next_);
  one.mismatch.clear();
  one.signature = signature_of(brought);
  const auto& counted = brought.kind == Collective::reduce_scatter ? brought.result : brought.data;
  one.count = counted.defined() ? counted.numel() : 0;
  one.width = counted.defined() ? static_cast<int64_t>(counted.element_size()) : 1;
  const int64_t columns = brought.kind == Collective::reduce_scatter ? room_.ranks() : 1;
  one.piece_elements = std::max<int64_t>(1, SharedRoom::kPieceBytes / (one.width * columns));
  one.pieces = std::max<int64_t>(1, (one.count + one.piece_elements - 1) / one.piece_elements);
  one.pieces_brought = one.added = one.taken = 0;
  one.checked = one.finished = false;
  one.fits = true;
  one.wanted = true;
  one.times = {.started = steady_seconds()};
  one.brought = std::move(brought);
  return next_++;
}

void SharedLine::let_go(uint64_t number) {
  if (number >= oldest_) at(number).wanted = false;
}

bool SharedLine::all(std::atomic<uint64_t> SharedMarks::*mark, uint64_t more_than) const {
  for (int64_t r = 0; r < room_.ranks(); ++r) {
    if ((room_.marks(line_, r).*mark).load() <= more_than) return false;
  }
  return true;
}

void SharedLine::progress() {
  while (true) {
    bool moved = bring();
    moved |= add();
    moved |= take();
    if (!moved) return;
  }
}

bool SharedLine::bring() {
  if (bringing_ == next_) return false;
  auto& one = at(bringing_);
  // Where calls do not fit together only their first pieces count, so what follows must wait for the check.
  if (one.pieces_brought > 0 && !one.checked) return false;
  const uint64_t piece = next_piece_;
  if (piece >= SharedRoom::kSlots && !all(&SharedMarks::taken, piece - SharedRoom::kSlots)) {
    if (std::exchange(waits_for_slot_, true)) return false;
    room_.waiting_for_slot().fetch_add(1);
    if (!all(&SharedMarks::taken, piece - SharedRoom::kSlots)) return false;
  }
  if (std::exchange(waits_for_slot_, false)) room_.waiting_for_slot().fetch_sub(1);
  if (one.pieces_brought == 0) {
    one.first = piece;
    write_note(one);
  }
  copy_in(one, one.span(one.pieces_brought), room_.piece(line_, piece, rank_));
  ++next_piece_;
  if (++one.pieces_brought == one.pieces) ++bringing_;
  room_.marks(line_, rank_).brought.store(piece + 1);
  if (all(&SharedMarks::brought, piece)) room_.ring_others(rank_);
  return true;
}

bool SharedLine::add() {
  if (adding_ == next_) return false;
  auto& one = at(adding_);
  if (one.added == one.pieces_brought) return false;
  const uint64_t piece = one.first + static_cast<uint64_t>(one.added);
  if (!all(&SharedMarks::brought, piece)) return false;
  if (one.added == 0) check(one);
  if (one.fits) {
    add_up(one, one.span(one.added), piece);
  } else {
    if (one.pieces > 1) ++bringing_;  // the rest is not brought
    one.pieces = 1;
  }
  if (++one.added == one.pieces) ++adding_;
  room_.marks(line_, rank_).added.store(piece + 1);
  if (one.waits_for_added() && all(&SharedMarks::added, piece)) room_.ring_others(rank_);
  return true;
}

bool SharedLine::take() {
  if (taking_ == next_) return false;
  auto& one = at(taking_);
  if (one.taken == one.added) return false;
  const uint64_t piece = one.first + static_cast<uint64_t>(one.taken);
  if (one.waits_for_added()) {
    if (!all(&SharedMarks::added, piece)) return false;
    if (one.fits) {
      copy_out(one, one.span(one.taken), piece);
    } else {
      explain(one);
    }
  }
  const bool last = ++one.taken == one.pieces;
  if (last) finish(one);
  if (last) ++taking_;
  room_.marks(line_, rank_).taken.store(piece + 1);
  if (room_.waiting_for_slot().load() > 0) room_.ring_others(rank_);
  return true;
}

void SharedLine::write_note(const Operation& one) {
  auto& note = room_.note(line_, one.first, rank_);
  note.signature = one.signature;
  note.started = one.times.started;
}

void SharedLine::check(Operation& one) {
  one.checked = true;
  auto& own = room_.note(line_, one.first, rank_);
  for (int64_t r = 0; r < room_.ranks(); ++r) {
    const auto& note = room_.note(line_, one.first, r);
    one.times.all_here = std::max(one.times.all_here, note.started);
    one.fits &= note.signature == own.signature;
  }
  if (one.fits) return;
  put(own.call, sizeof(own.call), call_of(one.brought));
  put(own.described, sizeof(own.described), describe(one.brought));
}

// Once all have said what they brought.
void SharedLine::explain(Operation& one) {
  const auto& own = room_.note(line_, one.first, rank_);
  int64_t r = 0;  // not all signatures are equal, so one differs from this rank's
  while (room_.note(line_, one.first, r).signature == own.signature) ++r;
  const auto& other = room_.note(line_, one.first, r);
  one.mismatch =
      mismatch_of(room_.member(rank_), own.call, own.described, room_.member(r), other.call, other.described);
}

void SharedLine::copy_in(Operation& one, Span span, std::byte* to) {
  const auto& brought = one.brought;
  const int64_t width = one.width, ranks = room_.ranks();
  switch (brought.kind) {
    case Collective::all_reduce: {
      const auto* from = data_of(brought.data) + span.begin * width;
      if (!one.shared_out()) {
        copy_bytes(to, from, span.size() * width);
        bytes_sent_ += (ranks - 1) * span.size() * width;
        break;
      }
      // Its own slice a rank adds up from where it is.
      const auto own = slice(span.size(), ranks, rank_);
      copy_bytes(to, from, own.begin * width);
      copy_bytes(to + own.end * width, from + own.end * width, (span.size() - own.end) * width);
      bytes_sent_ += (span.size() - own.size()) * width;
      break;
    }
    case Collective::reduce_scatter:
      for (int64_t r = 0; r < ranks; ++r)
        copy_bytes(to + r * span.size() * width, data_of(brought.data) + (r * one.count + span.begin) * width,
                   span.size() * width);
      bytes_sent_ += (ranks - 1) * span.size() * width;
      break;
    case Collective::all_gather:
      copy_bytes(to, data_of(brought.data) + span.begin * width, span.size() * width);
      bytes_sent_ += (ranks - 1) * span.size() * width;
      break;
    case Collective::broadcast:
      if (rank_ != brought.root) break;
      copy_bytes(to, data_of(brought.data) + span.begin * width, span.size() * width);
      bytes_sent_ += (ranks - 1) * span.size() * width;
      break;
    case Collective::barrier:
      break;
  }
}

void SharedLine::add_up(Operation& one, Span span, uint64_t piece) {
  const auto& brought = one.brought;
  const int64_t width = one.width, ranks = room_.ranks();
  if (span.size() == 0) return;
  addends_.clear();
  for (int64_t r = 0; r < ranks; ++r) addends_.push_back(room_.piece(line_, piece, r));
  const auto add = [&](std::initializer_list<void*> results, Span part) {
    sum_along_tree(brought.data.scalar_type(), addends_.data(), ranks, std::data(results),
                   static_cast<int64_t>(results.size()), part);
  };
  switch (brought.kind) {
    case Collective::all_reduce: {
      auto* own = memory_of(brought.result) + span.begin * width;
      if (one.small()) {
        if (brought.options.wants_result) add({own}, {0, span.size()});
        break;
      }
      addends_[static_cast<std::size_t>(rank_)] = own;
      const auto part = slice(span.size(), ranks, rank_);
      add({own, room_.piece(line_, piece, rank_)}, part);
      bytes_sent_ += (ranks - 1) * part.size() * width;
      break;
    }
    case Collective::reduce_scatter:
      for (auto& addend : addends_) addend = static_cast<const std::byte*>(addend) + rank_ * span.size() * width;
      add({memory_of(brought.result) + span.begin * width}, {0, span.size()});
      break;
    case Collective::all_gather:
      for (int64_t r = 0; r < ranks; ++r)
        copy_bytes(memory_of(brought.result) + (r * one.count + span.begin) * width, room_.piece(line_, piece, r),
                   span.size() * width);
      break;
    case Collective::broadcast:
      if (rank_ == brought.root) break;
      copy_bytes(memory_of(brought.result) + span.begin * width, room_.piece(line_, piece, brought.root),
                 span.size() * width);
      break;
    case Collective::barrier:
      break;
  }
}

void SharedLine::copy_out(Operation& one, Span span, uint64_t piece) {
  if (!one.brought.options.wants_result) return;
  auto* own = memory_of(one.brought.result) + span.begin * one.width;
  for (int64_t r = 0; r < room_.ranks(); ++r) {
    if (r == rank_) continue;
    const auto part = slice(span.size(), room_.ranks(), r);
    copy_bytes(own + part.begin * one.width, room_.piece(line_, piece, r) + part.begin * one.width,
               part.size() * one.width);
  }
}

void SharedLine::finish(Operation& one) {
  one.times.finished = steady_seconds();
  one.brought = {};
  one.finished = true;
}

std::string SharedLine::late(uint64_t number) const {
  const auto& one = at(number);
  const std::string what = one.brought.options.what;
  const auto& waits_for = one.pieces_brought > one.added ? &SharedMarks::brought : &SharedMarks::added;
  const auto piece = one.first + static_cast<uint64_t>(one.pieces_brought > one.added ? one.added : one.taken);
  const bool begun = one.pieces_brought > 0;
  return call_of(one.brought) + (what.empty() ? "" : " of " + what) + room_.for_ranks([&](int64_t r) {
    if (r == rank_) return false;
    // Before the first piece: for those that still need the memory.
    const auto& marks = room_.marks(line_, r);
    return begun ? (marks.*waits_for).load() <= piece : marks.taken.load() + SharedRoom::kSlots <= next_piece_;
  });
}

}  // namespace tandem::comm
