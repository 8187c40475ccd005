#pragma once
#include <cstdint>

#include "tandem/core/tensor.h"

namespace tandem::comm {

/// How the ranks of a job speak with one another, be they threads or processes. Every call is collective: all ranks
/// make the same calls in the same order with tensors of the same type and size. Each throws PeerError, naming who is
/// missing, when the others do not come within the time limit or one of them failed.
class Communicator {
 public:
  virtual ~Communicator() = default;
  virtual int64_t rank() const = 0;
  virtual int64_t world_size() const = 0;

  /// Adds up `tensor` over all ranks, in place. Every rank gets the same bits.
  virtual void all_reduce(Tensor& tensor) = 0;
  /// Copies rank `root`'s `tensor` to all others'.
  virtual void broadcast(Tensor& tensor, int64_t root) = 0;
  /// Returns when all ranks have come.
  virtual void barrier() = 0;

  /// Bytes that other ranks took from this one so far.
  virtual int64_t bytes_sent() const = 0;
  /// Seconds that this rank spent in collectives so far: waiting for others, and moving and adding.
  virtual double seconds_waiting() const = 0;
  virtual double seconds_moving() const = 0;
};

}  // namespace tandem::comm
