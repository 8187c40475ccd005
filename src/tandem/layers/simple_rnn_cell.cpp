#include "tandem/layers/simple_rnn_cell.h"

#include <ATen/ATen.h>

#include "tandem/layers/unit_cell.h"

namespace tandem {
namespace {

class SimpleRNNCellLayer : public UnitCell {
 public:
  SimpleRNNCellLayer(int64_t units, const CellSettings& settings) : UnitCell("SimpleRNNCell", units, settings, 1) {}

 protected:
  void add_bias() override { bias_ = add_weight("bias", {units()}, settings().bias); }

  Tensors advance(const Tensor& projected, const Tensors& states, const std::vector<Tensor>& masks) const override {
    const Tensor h = activation(projected + recurrent_product(states[0], masks, 0, 1));
    return {h, h};
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
