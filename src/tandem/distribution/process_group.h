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
  /// "auto": shared memory among the processes of a host, Gloo between hosts; "gloo": Gloo in any case; "mpi": all
  /// exchanges by MPI, for a program that mpirun started.
  std::string backend = "auto";
  double limit_seconds = 60;    // for the others to come, and for each call
  double silence_seconds = 10;  // after which a process that is stopped, starved or out of reach is given up
  /// The network interface that other hosts reach this process by: a name, or several and patterns ("eth*,ib0") of
  /// which the first that is there counts. Empty: TANDEM_INTERFACE, GLOO_SOCKET_IFNAME, else loopback where all ranks
  /// share this host, and the one on the way to rank 0 elsewhere.
  std::string interface = {};
};

enum class ReduceOp { sum, mean, max, min };

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

  /// Adds up in place, or does what `op` says; every rank gets the same bits. Throws InvalidArgument for the mean of
  /// whole numbers. The largest and the smallest are found among all ranks' tensors side by side: meant for small ones.
  void all_reduce(Tensor& tensor, ReduceOp op = ReduceOp::sum) const;
  /// Every rank's `tensor`, of one type and shape, in the order of the ranks. Throws InvalidArgument on all ranks,
  /// saying what each brought, where types or shapes differ.
  std::vector<Tensor> all_gather(const Tensor& tensor) const;
  /// Every rank's bytes, of any lengths, in the order of the ranks.
  std::vector<std::string> all_gather_objects(const std::string& object) const;
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
