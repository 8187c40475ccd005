#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tandem/core/device.h"
#include "tandem/core/tensor.h"

namespace tandem::comm {
class Communicator;
class Processes;
}  // namespace tandem::comm

namespace tandem::distribute {

struct ProcessGroupOptions {
  /// "auto": shared memory where all processes are on one host, else Gloo; "gloo": Gloo in any case.
  std::string backend = "auto";
  double limit_seconds = 60;    // for the others to come, and for each call
  double silence_seconds = 10;  // after which a process of this host that is stopped or starved is given up
};

/// The ranks that train together, each a process (or all of one process, in tests), as torch.distributed has them. A
/// value: copies are the same group. Calls with tensors are collective; each throws PeerError, naming who is missing,
/// when not all ranks come within the limit or one is lost.
class ProcessGroup {
 public:
  /// `local_size`: ranks of this host.
  ProcessGroup(std::shared_ptr<comm::Processes> processes, int64_t local_rank, int64_t local_size = 1);
  /// Of ranks that are no processes.
  ProcessGroup(std::shared_ptr<comm::Communicator> rank, int64_t local_rank);

  int64_t rank() const;
  int64_t world_size() const;
  /// Among the ranks of this host.
  int64_t local_rank() const { return local_rank_; }
  int64_t local_size() const { return local_size_; }
  /// Where this rank computes: cpu:<local rank>.
  Device device() const;

  /// Adds up in place; every rank gets the same bits.
  void all_reduce(Tensor& tensor) const;
  /// Every rank's `tensor`, of one type and shape, in the order of the ranks.
  std::vector<Tensor> all_gather(const Tensor& tensor) const;
  /// Copies rank `root`'s `tensor` to all others'.
  void broadcast(Tensor& tensor, int64_t root = 0) const;
  /// Rank `root`'s bytes on all ranks; the others' own do not matter.
  std::string broadcast_object(const std::string& object, int64_t root = 0) const;
  void barrier() const;

  comm::Communicator& communicator() const { return *rank_; }
  /// Null where the ranks are no processes, or there is one alone.
  const std::shared_ptr<comm::Processes>& processes() const { return processes_; }

 private:
  std::shared_ptr<comm::Processes> processes_;
  std::shared_ptr<comm::Communicator> rank_;
  int64_t local_rank_, local_size_ = 1;
};

/// Joins this process with the others of its job (cluster: TF_CONFIG, torchrun's, mpirun's or srun's variables), or is
/// alone. Where several ranks share a host, this one's operations get its share of the cores as threads
/// (TANDEM_THREADS_PER_DEVICE says otherwise). Throws InvalidArgument on an unknown or missing backend, or where
/// nothing says where to meet; PeerError naming who does not come.
ProcessGroup init_process_group(const ProcessGroupOptions& options = {});

}  // namespace tandem::distribute
