#include "tandem/layers/lstm_sequence.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <optional>

#include "tandem/kernels/lstm_step.h"
#include "tandem/layers/recurrent_gradient.h"

namespace tandem {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct LstmSequence : torch::autograd::Function<LstmSequence> {
  static variable_list forward(AutogradContext* context, const Tensor& z, const Tensor& recurrent, const Tensor& h0,
                               const Tensor& c0, const std::optional<Tensor>& mask) {
    context->set_materialize_grads(false);
    const int64_t steps = z.size(0), rows = z.size(1), units = h0.size(1);
    const Tensor gates = z.detach();
    const Tensor hs = at::empty({steps, rows, units}, h0.options().requires_grad(false)), cs = at::empty_like(hs);
    Tensor h = h0.detach().contiguous(), c = c0.detach().contiguous();
    const Tensor first_h = h, first_c = c;
    for (int64_t t = 0; t < steps; ++t) {
      Tensor sums = gates[t];
      at::addmm_out(sums, sums, h, recurrent);
      const Tensor next_h = hs[t], next_c = cs[t];
      kernels::lstm_step({.rows = rows,
                          .units = units,
                          .gates = sums.mutable_data_ptr<float>(),
                          .c_before = c.const_data_ptr<float>(),
                          .h_before = h.const_data_ptr<float>(),
                          .counts = mask ? mask->const_data_ptr<bool>() + t * rows : nullptr,
                          .c = next_c.mutable_data_ptr<float>(),
                          .h = next_h.mutable_data_ptr<float>()});
      h = next_h;
      c = next_c;
    }
    context->save_for_backward({gates, recurrent, first_h, first_c, hs, cs, mask.value_or(Tensor())});
    return {hs, h.clone(), c.clone()};
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    refuse_second_gradients("LSTM");
    const auto saved = context->get_saved_variables();
    const Tensor &gates = saved[0], &recurrent = saved[1], &first_h = saved[2], &first_c = saved[3], &hs = saved[4],
                 &cs = saved[5], &mask = saved[6];
    const int64_t steps = hs.size(0), rows = hs.size(1), units = hs.size(2);
    const Tensor given = gradients[0].defined() ? gradients[0].contiguous() : Tensor();
    const auto own = [&](const Tensor& gradient) {
      return gradient.defined() ? gradient.clone(at::MemoryFormat::Contiguous) : at::zeros({rows, units}, hs.options());
    };
    Tensor dh = own(gradients[1]);
    const Tensor dc = own(gradients[2]), dz = at::empty_like(gates), transposed = recurrent.t();
    for (int64_t t = steps - 1; t >= 0; --t) {
      const Tensor sums = dz[t];
      kernels::lstm_step_backward({.rows = rows,
                                   .units = units,
                                   .gates = gates.const_data_ptr<float>() + t * rows * 4 * units,
                                   .c_before = (t > 0 ? cs[t - 1] : first_c).const_data_ptr<float>(),
                                   .c = cs[t].const_data_ptr<float>(),
                                   .counts = mask.defined() ? mask.const_data_ptr<bool>() + t * rows : nullptr,
                                   .given = given.defined() ? given[t].const_data_ptr<float>() : nullptr,
                                   .dh = dh.mutable_data_ptr<float>(),
                                   .dc = dc.mutable_data_ptr<float>(),
                                   .sums = sums.mutable_data_ptr<float>()});
      mask.defined() ? at::addmm_out(dh, dh, sums, transposed) : at::mm_out(dh, sums, transposed);
    }
    const Tensor of_recurrent = context->needs_input_grad(1) ? recurrent_gradient(first_h, hs, dz) : Tensor();
    return {dz, of_recurrent, dh, dc, {}};
  }
};

}  // namespace

LstmStates lstm_sequence(const Tensor& z, const Tensor& recurrent, const Tensor& h, const Tensor& c,
                         const Tensor& mask) {
  const auto counts = mask.defined() ? std::optional(mask.contiguous()) : std::nullopt;
  const auto states = LstmSequence::apply(z.contiguous(), recurrent, h, c, counts);
  return {{states[0], states[1]}, states[2]};
}

}  // namespace tandem
