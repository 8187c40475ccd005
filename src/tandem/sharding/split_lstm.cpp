// LSTM by units: each rank has some units of all four gates, which need the state h of all units in each step.
#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <vector>

#include "tandem/core/mask.h"
#include "tandem/sharding/split_layer.h"
#include "tandem/sharding/tensor_group.h"

namespace tandem::sharding {
namespace {

struct LstmSettings {
  bool bias = true, sequences = false, backwards = false, zero_masked = false;
};

class UnitsOfLstm final : public Layer {
 public:
  UnitsOfLstm(const Division& units, const Place& place, const LstmSettings& settings)
      : units_(units), place_(place), own_(units.count(place)), settings_(settings) {}

  std::string class_name() const override { return "LSTM"; }
  Lowering lowering() const override { return Lowering::kOutputs; }
  bool supports_masking() const override { return settings_.sequences; }

  void build(const Shape& input) override {
    kernel_ = add_weight("kernel", {input.back(), 4 * own_}, {.initializer = "zeros"});
    recurrent_ = add_weight("recurrent_kernel", {units_.size, 4 * own_}, {.initializer = "zeros"});
    if (settings_.bias) bias_ = add_weight("bias", {4 * own_}, {.initializer = "zeros"});
  }

  Shape output_shape(const Shape& input) override {
    return settings_.sequences ? Shape{input[0], input[1], own_} : Shape{input[0], own_};
  }

  Tensor call(const Tensor& x, const CallContext&) override {
    Tensor projected = at::matmul(x, kernel_.value());
    if (settings_.bias) projected = projected + bias_.value();
    const Tensor mask = mask_of(x), recurrent = recurrent_.value();
    Tensor h = at::zeros({x.size(0), own_}, projected.options()), c = h, output = h;
    std::vector<Tensor> outputs;
    for (int64_t step = 0; step < x.size(1); ++step) {
      const int64_t t = settings_.backwards ? x.size(1) - 1 - step : step;
      Tensor sums = projected.select(1, t);
      if (step > 0) sums = sums + at::matmul(entered(gathered(h, units_, place_)), recurrent);
      const auto gates = sums.chunk(4, -1);
      Tensor next_c = at::sigmoid(gates[1]) * c + at::sigmoid(gates[0]) * at::tanh(gates[2]);
      Tensor next_h = at::sigmoid(gates[3]) * at::tanh(next_c);
      if (mask.defined()) {  // where a step does not count all stays as it was
        const Tensor counts = mask.select(1, t).unsqueeze(-1);
        next_c = next_c.where(counts, c);
        next_h = next_h.where(counts, h);
        output = settings_.zero_masked ? next_h.where(counts, 0) : next_h;
      } else {
        output = next_h;
      }
      h = next_h;
      c = next_c;
      if (settings_.sequences) outputs.push_back(output);
    }
    return settings_.sequences ? at::stack(outputs, 1) : output;
  }

 private:
  Division units_;
  Place place_;
  int64_t own_;
  LstmSettings settings_;
  Weight kernel_, recurrent_, bias_;
};

}  // namespace

SplitOrReason split_lstm(const SplitCall& call) {
  const Layer& layer = *call.layer;
  const Config config = layer.get_config();
  const Division units{1, config.at("units").as_int()};
  if (units.size < call.place.ranks) return c10::str("has ", units.size, " units");
  if (call.inputs.size() > 1) return "is given its states";
  if (config.at("activation") != Config("tanh") || config.at("recurrent_activation") != Config("sigmoid"))
    return "has other activations than tanh and sigmoid";
  if (config.get("dropout", 0.0).as_double() > 0 || config.get("recurrent_dropout", 0.0).as_double() > 0)
    return "has dropout within";
  if (config.at("stateful").as_bool()) return "keeps its states";
  if (!config.get("activity_regularizer", {}).is_null()) return "has an activity_regularizer";
  for (const auto& w : layer.weights()) {
    if (w.variable().constraint) return c10::str("'", w.name(), "' has a constraint");
  }
  for (std::size_t i = 0; i < layer.weights().size(); ++i) {
    if (const auto why = why_not_divided(layer, i, i == 2 ? 0 : 1); !why.empty()) return why;
  }
  const auto own =
      std::make_shared<UnitsOfLstm>(units, call.place,
                                    LstmSettings{.bias = config.at("use_bias").as_bool(),
                                                 .sequences = config.at("return_sequences").as_bool(),
                                                 .backwards = config.at("go_backwards").as_bool(),
                                                 .zero_masked = config.get("zero_output_for_mask", false).as_bool()});
  own->set_name(layer.name());
  own->set_dtype_policy(layer.dtype_policy());
  if (!layer.trainable()) own->set_trainable(false);
  return SplitLayer{.how = "by units, with a gathering of the state in each step",
                    .layer = own,
                    .gives = units,
                    .of_weights = {4, units.size}};
}

}  // namespace tandem::sharding
