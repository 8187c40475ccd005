#include "tandem/layers/gru_sequence.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <optional>

#include "tandem/kernels/gru_step.h"
#include "tandem/layers/recurrent_gradient.h"

namespace tandem {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct GruSequence : torch::autograd::Function<GruSequence> {
  static variable_list forward(AutogradContext* context, const Tensor& x, const Tensor& recurrent,
                               const std::optional<Tensor>& bias, const Tensor& h0, const std::optional<Tensor>& mask) {
    context->set_materialize_grads(false);
    const int64_t steps = x.size(0), rows = x.size(1), units = h0.size(1);
    const Tensor gates = x.detach();
    const auto options = h0.options().requires_grad(false);
    const Tensor hs = at::empty({steps, rows, units}, options), inner_hs = at::empty_like(hs);
    Tensor inner = at::empty({rows, 3 * units}, options);
    Tensor h = h0.detach().contiguous();
    const Tensor first = h;
    for (int64_t t = 0; t < steps; ++t) {
      bias ? at::addmm_out(inner, *bias, h, recurrent) : at::mm_out(inner, h, recurrent);
      const Tensor next = hs[t];
      kernels::gru_step({.rows = rows,
                         .units = units,
                         .gates = gates.mutable_data_ptr<float>() + t * rows * 3 * units,
                         .inner = inner.const_data_ptr<float>(),
                         .h_before = h.const_data_ptr<float>(),
                         .counts = mask ? mask->const_data_ptr<bool>() + t * rows : nullptr,
                         .inner_h = inner_hs.mutable_data_ptr<float>() + t * rows * units,
                         .h = next.mutable_data_ptr<float>()});
      h = next;
    }
    context->saved_data["bias"] = bias.has_value();
    context->save_for_backward({gates, recurrent, first, hs, inner_hs, mask.value_or(Tensor())});
    return {hs, h.clone()};
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    refuse_second_gradients("GRU");
    const auto saved = context->get_saved_variables();
    const Tensor &gates = saved[0], &recurrent = saved[1], &first = saved[2], &hs = saved[3], &inner_hs = saved[4],
                 &mask = saved[5];
    const int64_t steps = hs.size(0), rows = hs.size(1), units = hs.size(2);
    const Tensor given = gradients[0].defined() ? gradients[0].contiguous() : Tensor();
    Tensor dh = gradients[1].defined() ? gradients[1].clone(at::MemoryFormat::Contiguous)
                                       : at::zeros({rows, units}, hs.options());
    const Tensor dx = at::empty_like(gates), inner = at::empty_like(gates), transposed = recurrent.t();
    for (int64_t t = steps - 1; t >= 0; --t) {
      const int64_t at = t * rows * units;
      const Tensor of_inner = inner[t];
      kernels::gru_step_backward({.rows = rows,
                                  .units = units,
                                  .gates = gates.const_data_ptr<float>() + 3 * at,
                                  .inner_h = inner_hs.const_data_ptr<float>() + at,
                                  .h_before = (t > 0 ? hs[t - 1] : first).const_data_ptr<float>(),
                                  .counts = mask.defined() ? mask.const_data_ptr<bool>() + t * rows : nullptr,
                                  .given = given.defined() ? given.const_data_ptr<float>() + at : nullptr,
                                  .dh = dh.mutable_data_ptr<float>(),
                                  .sums = dx.mutable_data_ptr<float>() + 3 * at,
                                  .inner = of_inner.mutable_data_ptr<float>()});
      at::addmm_out(dh, dh, of_inner, transposed);
    }
    return {dx,
            context->needs_input_grad(1) ? recurrent_gradient(first, hs, inner) : Tensor(),
            context->saved_data["bias"].toBool() ? inner.sum(at::IntArrayRef{0, 1}) : Tensor(),
            dh,
            {}};
  }
};

}  // namespace

FusedStates gru_sequence(const Tensor& x, const Tensor& recurrent, const Tensor& bias, const Tensor& h,
                         const Tensor& mask) {
  const auto given = [](const Tensor& t) { return t.defined() ? std::optional(t.contiguous()) : std::nullopt; };
  const auto states = GruSequence::apply(x.contiguous(), recurrent, given(bias), h, given(mask));
  return {states[0], states[1]};
}

}  // namespace tandem
