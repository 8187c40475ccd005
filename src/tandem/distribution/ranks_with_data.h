#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tandem/comm/pending.h"
#include "tandem/core/tensor.h"
#include "tandem/distribution/process_group.h"

namespace tandem::distribute {

/// Which ranks of a training loop still have data, where they have unequal numbers of batches. Before a rank does
/// something with the others it says what, and those without data, who only listen, do it too. One number of each rank
/// travels each time, as in torch.distributed.algorithms.Join.
class RanksWithData {
 public:
  enum class Act : int64_t {
    none = 0,         // has no more data
    buffers = 1,      // a forward pass begins: the module's buffers are broadcast
    gradients = 2,    // a backward pass begins: gradients are exchanged
    statistics = 3,   // a SyncBatchNorm's, where no gradients are exchanged
    leaves_loop = 4,  // an exception ends this rank's loop
  };

  explicit RanksWithData(const ProcessGroup& group);

  /// Begins to say what this rank is about to do.
  void say(Act act);
  /// Waits for what all say, unless that was heard already, and returns what those do that have data; none: no rank has
  /// any that goes on. Throws InvalidArgument on all ranks where they are not about to do the same.
  Act hear();
  /// How many had data when they were heard last, and the first of them; once none has, of the last time that one had.
  int64_t count() const { return count_; }
  int64_t first() const { return first_; }

  /// Rank `rank` ended its loop by an exception. The lowest such rank counts.
  void note_left(int64_t rank);
  /// Tells why, where it is this rank that left; called by all ranks that know of it.
  std::string why_left(const std::string& own_reason = {});
  /// Throws PeerError naming the rank that left and why, if one did.
  void check_nobody_left();
  /// True once this rank knows that the loop ended early.
  bool over() const { return over_; }

 private:
  [[noreturn]] void throw_mismatch(int64_t one, int64_t other);
  Act of(int64_t rank) const { return static_cast<Act>(words_.const_data_ptr<int64_t>()[rank]); }

  ProcessGroup group_;
  Tensor words_;  // by rank
  comm::Pending pending_;
  int64_t count_, first_ = 0, left_ = -1;
  bool over_ = false;
};

}  // namespace tandem::distribute
