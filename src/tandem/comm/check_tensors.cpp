#include "tandem/comm/check_tensors.h"

#include <c10/util/StringUtil.h>

#include "tandem/comm/sum_tree.h"
#include "tandem/core/error.h"

namespace tandem::comm {

void check_dense(const Tensor& tensor, const char* call) {
  if (!tensor.defined() || !tensor.device().is_cpu() || !tensor.is_non_overlapping_and_dense()) {
    throw InvalidArgument(tensor.defined() ? c10::str(call, ": must get a dense CPU tensor, got strides ",
                                                      tensor.strides(), " on ", tensor.device())
                                           : c10::str(call, ": must get a dense CPU tensor, got an undefined one"));
  }
}

void check_all_reduce(const Tensor& tensor, const char* call) {
  check_dense(tensor, call);
  check_adds_up(tensor.scalar_type(), call);
}

void check_divided(const Tensor& whole, const Tensor& part, int64_t ranks, const char* call) {
  check_dense(whole, call);
  check_dense(part, call);
  if (!whole.is_contiguous() || !part.is_contiguous() || whole.scalar_type() != part.scalar_type() ||
      whole.numel() != ranks * part.numel()) {
    throw InvalidArgument(c10::str(call, ": whole must be contiguous and hold ", ranks,
                                   " times the elements of part, got ", whole.scalar_type(), " of sizes ",
                                   whole.sizes(), " and ", part.scalar_type(), " of sizes ", part.sizes()));
  }
}

void check_root(int64_t root, int64_t ranks) {
  if (root < 0 || root >= ranks)
    throw InvalidArgument(c10::str("broadcast: root must be in [0, ", ranks, "), got ", root));
}

void check_peer(int64_t peer, int64_t rank, int64_t ranks, const char* call) {
  if (peer < 0 || peer >= ranks || peer == rank) {
    throw InvalidArgument(
        c10::str(call, " on rank ", rank, ": must name another rank in [0, ", ranks, "), got ", peer));
  }
}

}  // namespace tandem::comm
