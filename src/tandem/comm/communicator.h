#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "tandem/comm/algorithm.h"
#include "tandem/comm/pending.h"
#include "tandem/core/tensor.h"

namespace tandem::comm {

struct ReduceOptions {
  Algorithm algorithm = Algorithm::automatic;
  /// False: this rank brings addends but does not need the sum; its tensor is undefined afterwards.
  bool wants_result = true;
  /// What is exchanged, for messages: "bucket 2 (conv2d_3/kernel ... )". Must stay until the operation is finished.
  const char* what = "";
};

/// How the ranks of a job speak with one another, be they threads or processes. Every call but send and recv is
/// collective: all ranks make the same calls in the same order with tensors of the same type and sizes; where they do
/// not, InvalidArgument on all ranks tells what each brought. Each throws PeerError, naming who is missing, when the
/// others do not come within the time limit or one of them failed. Tensors must be dense and lie on the device of the
/// rank.
///
/// While a rank waits in any call it also moves on what it has in progress. Operations that were started by
/// all_reduce_async are matched among themselves, in the order of their start; other calls may come in between.
class Communicator {
 public:
  virtual ~Communicator() = default;
  virtual int64_t rank() const = 0;
  virtual int64_t world_size() const = 0;

  /// Adds up `tensor` over all ranks, in place. Every rank gets the same bits. Throws InvalidArgument for types that do
  /// not add up (bool, complex, quantised).
  virtual void all_reduce(Tensor& tensor, const ReduceOptions& options = {}) = 0;
  /// The same while this thread goes on. The memory of `tensor` must not be touched until wait(). Work is done by this
  /// thread: within advance(), wait() and later calls. When very many are in progress it first waits for the oldest.
  virtual Pending all_reduce_async(Tensor& tensor, const ReduceOptions& options = {}) = 0;
  /// `part` (n, ...) becomes this rank's slice of the sum of all ranks' `whole` (world_size * n, ...), which is not
  /// changed. Both contiguous; `part` may be that slice of `whole` itself.
  virtual void reduce_scatter(const Tensor& whole, Tensor& part) = 0;
  /// `whole` (world_size * n, ...) becomes all ranks' `part` (n, ...) one after the other. Both contiguous; `part` may
  /// be this rank's slice of `whole`.
  virtual void all_gather(const Tensor& part, Tensor& whole) = 0;
  /// Copies rank `root`'s `tensor` to all others'.
  virtual void broadcast(Tensor& tensor, int64_t root) = 0;
  /// The same while this thread goes on. Counts among the operations of all_reduce_async, and is waited for as they
  /// are. Between GPUs it is over when this returns.
  virtual Pending broadcast_async(Tensor& tensor, int64_t root) {
    broadcast(tensor, root);
    return {};
  }
  /// Hands `tensor` to rank `to`; returns when it may be changed again. `tag` tells messages between two ranks apart;
  /// those of one tag arrive in their order. A message is kept for a receiver that has not come yet.
  virtual void send(const Tensor& tensor, int64_t to, int64_t tag = 0) = 0;
  /// From now on this rank can be sent messages while it does something else: a first send to one that has not called
  /// this, send or recv waits until it does, where the two share no memory.
  virtual void expect_messages() {}
  /// Fills `tensor` with the next message from rank `from` with that tag; type and sizes must be the sender's.
  virtual void recv(Tensor& tensor, int64_t from, int64_t tag = 0) = 0;
  /// Returns when all ranks have come.
  virtual void barrier() = 0;
  /// A communicator of `ranks` of this one, in their order; called by those ranks only. It must not outlive this one.
  /// What goes through it is counted by itself and not by this one.
  virtual std::unique_ptr<Communicator> subgroup(const std::vector<int64_t>& ranks) = 0;

  /// Bytes that other ranks took from this one so far.
  virtual int64_t bytes_sent() const = 0;
  /// Seconds that this rank spent in calls so far: until the last rank had come, and from then on.
  virtual double seconds_waiting() const = 0;
  virtual double seconds_moving() const = 0;
};

}  // namespace tandem::comm
