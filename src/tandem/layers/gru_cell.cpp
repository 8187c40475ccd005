#include "tandem/layers/gru_cell.h"

#include <ATen/ATen.h>

#include "tandem/layers/gru_sequence.h"
#include "tandem/layers/unit_cell.h"

namespace tandem {
namespace {

class GRUCellLayer : public UnitCell {
 public:
  GRUCellLayer(int64_t units, const CellSettings& settings, bool reset_after)
      : UnitCell("GRUCell", units, settings, 3), reset_after_(reset_after) {}

 protected:
  Config own_config() const override { return Config::object({{"reset_after", reset_after_}}); }
  void add_bias() override {
    bias_ = add_weight("bias", reset_after_ ? Shape{2, 3 * units()} : Shape{3 * units()}, settings().bias);
  }
  Tensor input_bias() const override {
    return bias_.defined() && reset_after_ ? bias_.value()[0] : UnitCell::input_bias();
  }

  Tensors advance(const Tensor& projected, const Tensors& states, const std::vector<Tensor>& masks) const override {
    const Tensor& before = states[0];
    const auto x = projected.chunk(3, -1);
    Tensor z, fresh;
    if (reset_after_) {
      const Tensor bias = state_bias(), product = recurrent_product(before, masks, 0, 3);
      const auto inner = (bias.defined() ? product + bias : product).chunk(3, -1);
      z = recurrent_activation(x[0] + inner[0]);
      fresh = activation(x[2] + recurrent_activation(x[1] + inner[1]) * inner[2]);
    } else {
      const auto inner = recurrent_product(before, masks, 0, 2).chunk(2, -1);
      z = recurrent_activation(x[0] + inner[0]);
      const Tensor reset = recurrent_activation(x[1] + inner[1]) * before;
      fresh = activation(x[2] + recurrent_product(reset, masks, 2, 1));
    }
    const Tensor h = z * before + (1 - z) * fresh;
    return {h, h};
  }

  std::optional<SequenceResult> run_fused(const Sequence& s) const override {
    if (!has_usual_activations() || !reset_after_ || !can_fuse(s)) return {};
    const auto made = gru_sequence(s.x, recurrent_kernel().value(), state_bias(), s.states[0], s.mask);
    return SequenceResult{outputs_of(s, made), {made.last}};
  }

 private:
  Tensor state_bias() const { return bias_.defined() ? bias_.value()[1] : Tensor(); }

  bool reset_after_;
};

}  // namespace

std::shared_ptr<RecurrentCell> make_gru_cell(int64_t units, const CellSettings& settings, bool reset_after,
                                             const std::string& name) {
  return make_remembered<GRUCellLayer>(name, units, settings, reset_after);
}

namespace layers {

GRUCell::GRUCell(int64_t units, GRUCellOptions options)
    : LayerHandle(make_gru_cell(units, cell_settings(options), options.reset_after, options.name)) {}

GRUCell GRUCell::from_config(const Config& config) {
  GRUCellOptions options;
  read_cell_options(config, options);
  options.reset_after = config.get("reset_after", true).as_bool();
  return GRUCell(config.at("units").as_int(), options);
}

}  // namespace layers
}  // namespace tandem
