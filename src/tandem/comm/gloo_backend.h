#pragma once
#include <chrono>
#include <memory>
#include <string>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "tandem/comm/process_rank.h"

namespace tandem::comm {

/// LibTorch's Gloo for one rank of `ranks`: it opens a port of its own on the interface that `host` names (this
/// process's own address there), by which the others reach it; addresses travel through `store`. What goes over these
/// connections is neither encrypted nor authenticated. `limit`: for one collective.
ProcessBackend make_gloo_backend(const c10::intrusive_ptr<c10d::Store>& store, int64_t rank, int64_t ranks,
                                 const std::string& host, std::chrono::milliseconds limit);

}  // namespace tandem::comm
