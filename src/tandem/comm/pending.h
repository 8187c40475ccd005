#pragma once
#include <cstdint>
#include <utility>

namespace tandem::comm {

/// When something happened in an operation on one rank, in seconds of the steady clock; 0: not yet.
struct ReduceTimes {
  double started = 0;   // this rank brought its tensor
  double all_here = 0;  // the last rank did
  double finished = 0;  // this rank had its result
};

/// An operation in progress. Cheap to make, to move and to drop. Dropping one that is not finished only lets go of it:
/// the communicator keeps its tensor and finishes it within later calls, since a destructor must not wait for others.
/// Must not outlive the communicator.
class Pending {
 public:
  /// A communicator that has operations in progress; it gives each a ticket of its own.
  class Source {
   public:
    virtual bool advance(uint64_t ticket) = 0;
    virtual ReduceTimes wait(uint64_t ticket) = 0;
    virtual void let_go(uint64_t ticket) noexcept = 0;

   protected:
    ~Source() = default;
  };

  Pending() = default;
  Pending(Source& source, uint64_t ticket) : source_(&source), ticket_(ticket) {}
  Pending(Pending&& other) noexcept : source_(std::exchange(other.source_, nullptr)), ticket_(other.ticket_) {}
  Pending& operator=(Pending&& other) noexcept {
    Pending(std::move(other)).swap(*this);
    return *this;
  }
  ~Pending() {
    if (source_) source_->let_go(ticket_);
  }

  bool active() const { return source_ != nullptr; }
  /// Does what can be done without waiting; true when wait() will return, or throw, at once.
  bool advance() { return !source_ || source_->advance(ticket_); }
  /// Returns when this rank has its result and may write to its tensor. Throws PeerError like the calls that wait.
  ReduceTimes wait() { return source_ ? std::exchange(source_, nullptr)->wait(ticket_) : ReduceTimes(); }

 private:
  void swap(Pending& other) noexcept {
    std::swap(source_, other.source_);
    std::swap(ticket_, other.ticket_);
  }

  Source* source_ = nullptr;
  uint64_t ticket_ = 0;
};

}  // namespace tandem::comm
