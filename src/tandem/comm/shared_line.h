#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tandem/comm/brought.h"
#include "tandem/comm/shared_room.h"
#include "tandem/comm/slices.h"

namespace tandem::comm {

/// One rank's operations of one line of a room, in their order. Tensors travel in pieces: each rank copies its piece
/// into the room, adds up its slice of it when all are there, along the tree of sum_tree.h as LocalRank does, and takes
/// the others' slices when they are added up. A few pieces are on their way at a time. A piece that is small is added
/// up by every rank for itself. Nothing is allocated for a new operation.
class SharedLine {
 public:
  SharedLine(SharedRoom& room, SharedRoom::Line line, int64_t rank) : room_(room), line_(line), rank_(rank) {}

  /// Its number. Its tensors must stay until it is finished.
  uint64_t start(Brought brought);
  /// Goes on as far as it can without waiting.
  void progress();
  bool finished(uint64_t number) const { return number < oldest_ || at(number).finished; }
  const ReduceTimes& times(uint64_t number) const { return at(number).times; }
  /// Calls that did not fit together; empty: they did.
  const std::string& mismatch(uint64_t number) const { return at(number).mismatch; }
  /// What is waited for, and for whom, to be used in a message.
  std::string late(uint64_t number) const;
  /// Nobody will ask for it any more.
  void let_go(uint64_t number);
  /// Bytes that others took from this rank so far.
  int64_t bytes_sent() const { return bytes_sent_; }

 private:
  struct Operation {
    Brought brought;
    uint64_t signature = 0;
    int64_t count = 0, width = 1;  // elements that travel, and the bytes of each
    int64_t piece_elements = 1, pieces = 1;
    uint64_t first = 0;                                // number of its first piece, once it is there
    int64_t pieces_brought = 0, added = 0, taken = 0;  // its pieces
    bool checked = false, fits = true, finished = false, wanted = false;
    ReduceTimes times;
    std::string mismatch;

    Span span(int64_t piece) const;
    bool small() const;
    /// Every rank adds up a slice for all.
    bool shared_out() const { return brought.kind == Collective::all_reduce && !small(); }
    bool waits_for_added() const { return shared_out() || !fits; }
  };

  Operation& at(uint64_t number) { return operations_[number % operations_.size()]; }
  const Operation& at(uint64_t number) const { return operations_[number % operations_.size()]; }
  bool all(std::atomic<uint64_t> SharedMarks::*mark, uint64_t more_than) const;
  // Each true: one piece further.
  bool bring();
  bool add();
  bool take();

  void copy_in(Operation& operation, Span span, std::byte* to);
  void write_note(const Operation& operation);
  // Whether all ranks' calls fit together; and what they were, where not.
  void check(Operation& operation);
  void explain(Operation& operation);
  void add_up(Operation& operation, Span span, uint64_t piece);
  void copy_out(Operation& operation, Span span, uint64_t piece);
  void finish(Operation& operation);

  SharedRoom& room_;
  const SharedRoom::Line line_;
  const int64_t rank_;
  std::vector<Operation> operations_ = std::vector<Operation>(8);  // those of the numbers [oldest_, next_)
  uint64_t oldest_ = 0, next_ = 0;
  uint64_t bringing_ = 0, adding_ = 0, taking_ = 0;  // operations whose pieces are next
  uint64_t next_piece_ = 0;
  bool waits_for_slot_ = false;
  int64_t bytes_sent_ = 0;
  std::vector<const void*> addends_;
};

}  // namespace tandem::comm
