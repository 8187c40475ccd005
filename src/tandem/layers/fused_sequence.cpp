#include "tandem/layers/fused_sequence.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>

#include <atomic>

#include "tandem/core/error.h"

namespace tandem {
namespace {

std::atomic<bool> fused_sequences = true;

}  // namespace

void set_fused_sequences(bool on) { fused_sequences = on; }

bool can_fuse(const Sequence& projected) {
  const auto fits = [](const Tensor& t, int64_t dim) {
    return t.device().is_cpu() && t.scalar_type() == at::kFloat && t.dim() == dim;
  };
  if (!fused_sequences || !fits(projected.x, 3) || projected.x.numel() == 0) return false;
  for (const auto& state : projected.states) {
    if (!fits(state, 2)) return false;
  }
  return !projected.mask.defined() || projected.mask.dim() == 2;
}

Tensor outputs_of(const Sequence& sequence, const FusedStates& states) {
  if (!sequence.mask.defined()) return sequence.all_outputs ? states.all : states.last;
  const Tensor shown = sequence.zero_output_for_mask ? sequence.mask : sequence.mask.cumsum(0) > 0;
  const Tensor zero = at::zeros({}, states.last.options());
  return sequence.all_outputs ? at::where(shown.unsqueeze(-1), states.all, zero)
                              : at::where(shown[-1].unsqueeze(-1), states.last, zero);
}

void refuse_second_gradients(const char* cell) {
  if (!c10::GradMode::is_enabled()) return;
  throw InvalidArgument(c10::str("backward: gradients of gradients cannot be had through a fused ", cell,
                                 "; call set_fused_sequences(false) before the forward pass"));
}

}  // namespace tandem
