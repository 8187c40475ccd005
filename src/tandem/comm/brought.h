#pragma once
#include <cstdint>
#include <string>

#include "tandem/comm/communicator.h"
#include "tandem/core/tensor.h"

namespace tandem::comm {

enum class Collective : uint8_t { all_reduce, reduce_scatter, all_gather, broadcast, barrier };

/// What a rank brings to a collective. Tensors must stay until it is finished.
struct Brought {
  Collective kind = Collective::barrier;
  Tensor data = {};    // others take it
  Tensor result = {};  // others may write to it
  ReduceOptions options = {};
  int64_t root = 0;
};

/// Equal exactly where calls fit together. Strides that no two elements are apart do not count.
uint64_t signature_of(const Brought& brought);
/// "all_reduce by ring", for messages; and "Float of sizes [3, 4] and strides [4, 1]".
std::string call_of(const Brought& brought);
std::string describe(const Brought& brought);
/// Of ranks `own` and `other`, whose calls do not fit together.
std::string mismatch_of(int64_t own, const std::string& own_call, const std::string& own_described, int64_t other,
                        const std::string& other_call, const std::string& other_described);

}  // namespace tandem::comm
