#pragma once
#include "tandem/comm/communicator.h"
#include "tandem/core/tensor.h"

namespace tandem::distribute {

/// How stages of a pipeline hand tensors to one another: with their type, sizes and mask, which the receiver does not
/// know beforehand, or as nothing (a value without a gradient).
class StageLink {
 public:
  /// From now on the others may send.
  explicit StageLink(comm::Communicator& communicator) : communicator_(communicator) { communicator.expect_messages(); }

  struct Value {
    Tensor tensor;               // undefined: nothing was handed over
    bool requires_grad = false;  // of the sender's
  };
  /// `tag`: a message of its own in a step.
  void send(const Tensor& value, int64_t to, int64_t tag);
  /// Throws PeerError where it does not come within the communicator's limit.
  Value receive(int64_t from, int64_t tag);

 private:
  comm::Communicator& communicator_;
};

}  // namespace tandem::distribute
