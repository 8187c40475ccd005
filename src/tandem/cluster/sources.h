#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "tandem/cluster/environment.h"
#include "tandem/cluster/membership.h"

namespace tandem::cluster {

/// Options that a program was given by hand.
struct ExplicitRank {
  std::optional<int64_t> rank = {};        // --rank
  std::optional<int64_t> world_size = {};  // --world-size
  std::optional<int64_t> local_rank = {};  // --local-rank
  std::string master = {};                 // --master host:port
};

/// `--ps_hosts a:1,b:2 --worker_hosts c:1,d:2 --job_name worker --task_index 0`, as TensorFlow's examples have them.
struct HostFlags {
  std::string ps_hosts = {}, worker_hosts = {}, job_name = {};
  std::optional<int64_t> task_index = {};

  bool any() const { return !ps_hosts.empty() || !worker_hosts.empty() || !job_name.empty() || task_index; }
};

/// MASTER_ADDR and MASTER_PORT; none where MASTER_ADDR is not set. Throws InvalidArgument where the port is missing or
/// none.
std::optional<Address> given_master(const Environment& environment);

/// Each says who this process is by one source, or nothing where that source is silent; throws InvalidArgument, naming
/// the field, where it is there and makes no sense.
std::optional<Membership> from_explicit(const ExplicitRank& given);
/// TF_CONFIG: {"cluster": {"chief": [...], "worker": [...], "ps": [...], "evaluator": [...]}, "task": {"type": ...,
/// "index": ...}}; also "task_id" for the index and a further "environment", as Kubeflow's TFJob writes it, and
/// "said_by", where tf_config_of(HostFlags) made it. Without a cluster, or with an empty one, it is silent.
std::optional<Membership> from_tf_config(const Environment& environment);
/// RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE, MASTER_ADDR, MASTER_PORT, as torchrun, Kubeflow's PyTorchJob and
/// `tandem launch` set them.
std::optional<Membership> from_torchrun(const Environment& environment);
/// OMPI_COMM_WORLD_RANK and its like of Open MPI; PMI_RANK, PMI_SIZE of MPICH and Intel MPI. Where rank 0 is met is
/// told by MASTER_ADDR and MASTER_PORT, else by MPI.
std::optional<Membership> from_mpi(const Environment& environment);
/// The variables that srun sets for each task of a step. What sbatch and salloc set alone says nothing: one process.
/// Where rank 0 is met is told by MASTER_ADDR and MASTER_PORT, else by a file.
std::optional<Membership> from_slurm(const Environment& environment);
std::optional<Membership> from_host_flags(const HostFlags& flags);
/// The same as a TF_CONFIG, for what is told by the environment; messages name the flags all the same. Throws as
/// from_host_flags.
std::string tf_config_of(const HostFlags& flags);

}  // namespace tandem::cluster
