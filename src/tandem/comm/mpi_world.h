#pragma once
#include <chrono>
#include <cstdint>
#include <string>

#include "tandem/cluster/membership.h"
#include "tandem/comm/process_rank.h"

namespace tandem::comm {

/// The processes that mpirun started, as MPI has them. It is in a plug-in of its own, libtandem_mpi, which is opened
/// when it is first asked for; a program that speaks MPI itself is left as it is.
class MpiWorld {
 public:
  virtual ~MpiWorld() = default;
  virtual int64_t rank() const = 0;
  virtual int64_t size() const = 0;
  /// Rank 0's text, on all ranks. Collective; throws PeerError when not all come within the limit.
  virtual std::string broadcast(const std::string& text, std::chrono::milliseconds limit) = 0;
  /// Throws InvalidArgument where the program began MPI with a level of threads that allows no backend.
  virtual void check_threads() const = 0;
  /// Collectives by MPI for `ranks` of the world, which tell one another by `store` who they are there.
  virtual ProcessBackend make_backend(const c10::intrusive_ptr<c10d::Store>& store, int64_t rank, int64_t ranks,
                                      std::chrono::milliseconds limit) = 0;
};

/// The world of this process. Begins MPI where the program has not, and then ends it when the program ends well.
/// `limit`: for all ranks to begin. Throws InvalidArgument that says what to set instead where the plug-in was not
/// built, or where MPI counts otherwise than `member`.
MpiWorld& mpi_world(const cluster::Membership& member, std::chrono::milliseconds limit);

/// What libtandem_mpi calls the function that makes its world, which is never destroyed.
using MakeMpiWorld = MpiWorld*(std::chrono::milliseconds limit);
inline constexpr const char* kMakeMpiWorld = "tandem_mpi_make_world";

}  // namespace tandem::comm
