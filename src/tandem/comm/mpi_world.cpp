#include "tandem/comm/mpi_world.h"

#include <c10/util/StringUtil.h>
#include <dlfcn.h>

#include <mutex>

#include "tandem/core/error.h"
#include "tandem/core/library_folder.h"

namespace tandem::comm {
namespace {

constexpr const char* kPlugin = "libtandem_mpi.so";

MakeMpiWorld* find_plugin() {
  const auto path = library_folder(reinterpret_cast<const void*>(&mpi_world)) / kPlugin;
  // Open MPI's own plug-ins look for its symbols among the global ones.
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  void* found = library ? ::dlsym(library, kMakeMpiWorld) : nullptr;
  if (found) return reinterpret_cast<MakeMpiWorld*>(found);
  throw InvalidArgument(c10::str("mpi: ", kPlugin, " cannot be opened (", ::dlerror(),
                                 "); it is built where MPI is (libopenmpi-dev). Without it, set MASTER_ADDR, "
                                 "MASTER_PORT and TANDEM_JOB_KEY for all ranks, or use tandem launch"));
}

}  // namespace

MpiWorld& mpi_world(const cluster::Membership& member, std::chrono::milliseconds limit) {
  static std::mutex mutex;
  static MpiWorld* world = nullptr;
  const std::lock_guard lock(mutex);
  if (!world) world = (*find_plugin())(limit);
  if (world->rank() != member.rank || world->size() != member.world_size) {
    throw InvalidArgument(c10::str("mpi: MPI says rank ", world->rank(), " of ", world->size(), ", but ", member.source,
                                   " says rank ", member.rank, " of ", member.world_size,
                                   ": start the program by the mpirun of the MPI that Tandem was built with"));
  }
  return *world;
}

}  // namespace tandem::comm
