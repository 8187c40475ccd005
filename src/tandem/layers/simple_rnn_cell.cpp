#include "tandem/layers/simple_rnn_cell.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include "tandem/layers/fused_sequence.h"
#include "tandem/layers/recurrent_gradient.h"
#include "tandem/layers/unit_cell.h"

namespace tandem {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// All steps with tanh as one operation of autograd, as lstm_sequence has them.
struct SimpleRnnSequence : torch::autograd::Function<SimpleRnnSequence> {
  static variable_list forward(AutogradContext* context, const Tensor& z, const Tensor& recurrent, const Tensor& h0,
                               const std::optional<Tensor>& mask) {
    context->set_materialize_grads(false);
    const Tensor hs = at::empty(z.sizes(), z.options().requires_grad(false)), first = h0.detach().contiguous();
    Tensor h = first;
    for (int64_t t = 0; t < z.size(0); ++t) {
      Tensor next = hs[t];
      at::addmm_out(next, z[t].detach(), h, recurrent).tanh_();
      if (mask) next.copy_(at::where((*mask)[t].unsqueeze(-1), next, h));
      h = next;
    }
    context->save_for_backward({recurrent, first, hs, mask.value_or(Tensor())});
    return {hs, h.clone()};
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    refuse_second_gradients("SimpleRNN");
    const auto saved = context->get_saved_variables();
    const Tensor &recurrent = saved[0], &first = saved[1], &hs = saved[2], &mask = saved[3];
    const Tensor dz = at::empty_like(hs), transposed = recurrent.t();
    Tensor dh = gradients[1].defined() ? gradients[1] : at::zeros_like(first);
    for (int64_t t = hs.size(0) - 1; t >= 0; --t) {
      if (gradients[0].defined()) dh = dh + gradients[0][t];
      Tensor sums = dz[t];
      at::tanh_backward_out(sums, dh, hs[t]);
      if (mask.defined()) {
        const Tensor left_out = mask[t].logical_not().unsqueeze(-1);
        sums.masked_fill_(left_out, 0);
        dh = at::addmm(dh * left_out, sums, transposed);
      } else {
        dh = at::mm(sums, transposed);
      }
    }
    return {dz, context->needs_input_grad(1) ? recurrent_gradient(first, hs, dz) : Tensor(), dh, {}};
  }
};

class SimpleRNNCellLayer : public UnitCell {
 public:
  SimpleRNNCellLayer(int64_t units, const CellSettings& settings) : UnitCell("SimpleRNNCell", units, settings, 1) {}

 protected:
  void add_bias() override { bias_ = add_weight("bias", {units()}, settings().bias); }

  Tensors advance(const Tensor& projected, const Tensors& states, const std::vector<Tensor>& masks) const override {
    const Tensor h = activation(projected + recurrent_product(states[0], masks, 0, 1));
    return {h, h};
  }

  std::optional<SequenceResult> run_fused(const Sequence& s) const override {
    if (settings().activation.name() != "tanh" || !can_fuse(s)) return {};
    const auto mask = s.mask.defined() ? std::optional(s.mask) : std::nullopt;
    const auto states = SimpleRnnSequence::apply(s.x, recurrent_kernel().value(), s.states[0], mask);
    return SequenceResult{outputs_of(s, {states[0], states[1]}), {states[1]}};
  }
};

}  // namespace

std::shared_ptr<RecurrentCell> make_simple_rnn_cell(int64_t units, const CellSettings& settings,
                                                    const std::string& name) {
  return make_remembered<SimpleRNNCellLayer>(name, units, settings);
}

namespace layers {

SimpleRNNCell::SimpleRNNCell(int64_t units, SimpleRNNCellOptions options)
    : LayerHandle(make_simple_rnn_cell(units, cell_settings(options), options.name)) {}

SimpleRNNCell SimpleRNNCell::from_config(const Config& config) {
  SimpleRNNCellOptions options;
  read_cell_options(config, options);
  return SimpleRNNCell(config.at("units").as_int(), options);
}

}  // namespace layers
}  // namespace tandem
