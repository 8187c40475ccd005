#pragma once
#include <cstdint>

#include "tandem/core/tensor.h"

/// What ranks on CPUs may be given. Each throws InvalidArgument that begins with `call`.
namespace tandem::comm {

/// Dense, in host memory.
void check_dense(const Tensor& tensor, const char* call);
/// Dense, of a type that adds up.
void check_all_reduce(const Tensor& tensor, const char* call);
/// Contiguous, `whole` with `ranks` times the elements of `part`.
void check_divided(const Tensor& whole, const Tensor& part, int64_t ranks, const char* call);
/// One of `ranks`.
void check_root(int64_t root, int64_t ranks);
/// Another rank than `rank`, of `ranks`.
void check_peer(int64_t peer, int64_t rank, int64_t ranks, const char* call);

}  // namespace tandem::comm
