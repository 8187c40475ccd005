#include "tandem/layers/lstm_cell.h"

#include <ATen/ATen.h>

#include "tandem/layers/lstm_sequence.h"
#include "tandem/layers/unit_cell.h"

namespace tandem {
namespace {

class LSTMCellLayer : public UnitCell {
 public:
  LSTMCellLayer(int64_t units, const CellSettings& settings) : UnitCell("LSTMCell", units, settings, 4) {}

  Shapes state_shapes() const override { return {{units()}, {units()}}; }

 protected:
  void add_bias() override {
    WeightOptions options = settings().bias;
    if (has_unit_forget_bias()) options.initializer = with_unit_forget_bias(options.initializer, units());
    bias_ = add_weight("bias", {4 * units()}, options);
  }

  Tensors advance(const Tensor& projected, const Tensors& states, const std::vector<Tensor>& masks) const override {
    const auto sums = (projected + recurrent_product(states[0], masks, 0, 4)).chunk(4, -1);
    const Tensor c = recurrent_activation(sums[1]) * states[1] + recurrent_activation(sums[0]) * activation(sums[2]);
    const Tensor h = recurrent_activation(sums[3]) * activation(c);
    return {h, h, c};
  }

  std::optional<SequenceResult> run_fused(const Sequence& s) const override {
    if (!has_usual_activations() || !can_fuse(s)) return {};
    const auto made = lstm_sequence(s.x, recurrent_kernel().value(), s.states[0], s.states[1], s.mask);
    return SequenceResult{outputs_of(s, made.h), {made.h.last, made.c}};
  }
};

}  // namespace

std::shared_ptr<RecurrentCell> make_lstm_cell(int64_t units, const CellSettings& settings, const std::string& name) {
  return make_remembered<LSTMCellLayer>(name, units, settings);
}

namespace layers {

LSTMCell::LSTMCell(int64_t units, LSTMCellOptions options)
    : LayerHandle(make_lstm_cell(units, cell_settings(options), options.name)) {}

LSTMCell LSTMCell::from_config(const Config& config) {
  LSTMCellOptions options;
  read_cell_options(config, options);
  return LSTMCell(config.at("units").as_int(), options);
}

}  // namespace layers
}  // namespace tandem
