#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tandem/comm/processes.h"
#include "tandem/core/tensor.h"
#include "tandem/distribution/peer_message.h"

namespace tandem::distribute {

/// The processes that train one model, as one of them speaks with the others between steps. Each call but abort is
/// collective, from one thread, and throws PeerError as a Communicator does.
class Peers {
 public:
  explicit Peers(std::shared_ptr<comm::Processes> processes);

  int64_t rank() const { return processes_->rank().rank(); }
  int64_t count() const { return processes_->rank().world_size(); }
  /// True in the one process that writes files and prints.
  bool leads() const { return rank() == 0; }
  comm::Processes& processes() { return *processes_; }

  /// One kind of message. How long it has been at most is known to all processes, so that mostly one exchange does.
  class Topic {
    friend class Peers;
    int64_t room_ = 0;
  };
  /// What each process says, in their order.
  std::vector<PeerMessage> gather(const PeerMessage& own, Topic& topic);
  /// Copies one process's `tensor`, dense, to all others'.
  void take_from(Tensor& tensor, int64_t process);
  /// The processes' tensors of one type, whose sizes differ on the first axis alone, one after the other. `rows`: of
  /// each process.
  Tensor join_rows(const Tensor& own, const std::vector<int64_t>& rows);

  /// This process cannot go on: the others' waits end with PeerError.
  void abort(const std::string& reason) { processes_->abort(reason); }

 private:
  std::shared_ptr<comm::Processes> processes_;
};

}  // namespace tandem::distribute
