#pragma once
#include <chrono>
#include <cstdint>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "tandem/comm/mpi/mpi_session.h"
#include "tandem/comm/process_rank.h"

namespace tandem::comm {

/// Collectives by MPI for one of `ranks` ranks, with communicators of their own. Half and bfloat16 are added up as
/// float. MPI's counts are int: a call takes at most 2^31 - 1 elements (bytes, where nothing is added up).
ProcessBackend make_mpi_backend(MpiSession& session, const c10::intrusive_ptr<c10d::Store>& store, int64_t rank,
                                int64_t ranks, std::chrono::milliseconds limit);

}  // namespace tandem::comm
