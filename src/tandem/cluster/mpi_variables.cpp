#include "tandem/cluster/sources.h"

namespace tandem::cluster {
namespace {

struct Names {
  const char *rank, *size, *local_rank, *local_size;
};
constexpr Names kOpenMpi{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
                         "OMPI_COMM_WORLD_LOCAL_SIZE"};
constexpr Names kPmi{"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"};

// srun --mpi=pmi2 sets PMI's variables for programs of any kind: those of MPI may know how to use them, or not.
bool is_srun(const Environment& environment, const Membership& m) {
  return environment.number("SLURM_PROCID") == m.rank && environment.number("SLURM_STEP_NUM_TASKS") == m.world_size;
}

}  // namespace

std::optional<Membership> from_mpi(const Environment& environment) {
  for (const auto& names : {kOpenMpi, kPmi}) {
    if (!environment.has(names.rank)) continue;
    const auto rank = *environment.number(names.rank);
    auto m = member_of_rank(std::string(names.rank) + ", " + names.size, rank,
                            environment.needed_number(names.size, names.rank));
    m.local_rank = environment.number(names.local_rank).value_or(0);
    m.local_size = environment.number(names.local_size).value_or(0);
    m.master = given_master(environment);
    if (!m.master) m.telling = names.rank == kPmi.rank && is_srun(environment, m) ? Telling::shared_file : Telling::mpi;
    check(m);
    return m;
  }
  return std::nullopt;
}

}  // namespace tandem::cluster
