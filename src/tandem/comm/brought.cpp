#include "tandem/comm/brought.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/mix_bits.h"

namespace tandem::comm {
namespace {

uint64_t mix(uint64_t hash, uint64_t value) { return mix_bits(hash ^ value); }

}  // namespace

uint64_t signature_of(const Brought& brought) {
  uint64_t hash = mix(static_cast<uint64_t>(brought.kind), static_cast<uint64_t>(brought.root));
  hash = mix(hash, static_cast<uint64_t>(brought.options.algorithm));
  if (!brought.data.defined()) return hash;
  hash = mix(hash, static_cast<uint64_t>(brought.data.scalar_type()));
  const auto sizes = brought.data.sizes(), strides = brought.data.strides();
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    hash = mix(hash, static_cast<uint64_t>(sizes[d]));
    if (sizes[d] > 1 && brought.data.numel() > 0) hash = mix(hash, static_cast<uint64_t>(strides[d]));
  }
  return hash;
}

std::string call_of(const Brought& brought) {
  switch (brought.kind) {
    case Collective::all_reduce:
      return brought.options.algorithm == Algorithm::automatic
                 ? "all_reduce"
                 : c10::str("all_reduce by ", name_of(brought.options.algorithm));
    case Collective::reduce_scatter:
      return "reduce_scatter";
    case Collective::all_gather:
      return "all_gather";
    case Collective::broadcast:
      return c10::str("broadcast from rank ", brought.root);
    case Collective::barrier:
      break;
  }
  return "barrier";
}

std::string describe(const Brought& brought) {
  if (!brought.data.defined()) return "nothing";
  return c10::str(brought.data.scalar_type(), " of sizes ", brought.data.sizes(), " and strides ",
                  brought.data.strides());
}

std::string mismatch_of(int64_t own, const std::string& own_call, const std::string& own_described, int64_t other,
                        const std::string& other_call, const std::string& other_described) {
  return own_call == other_call ? c10::str(own_call, ": rank ", own, " brought ", own_described, ", rank ", other, " ",
                                           other_described, "; they must be equal")
                                : c10::str(own_call, ": rank ", own, " came to ", own_call, ", rank ", other, " to ",
                                           other_call, "; they must make the same calls");
}

}  // namespace tandem::comm
