#include "tandem/layers/cell_settings.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"

namespace tandem {
namespace {

class UnitForgetBias : public Initializer {
 public:
  UnitForgetBias(const Handle<Initializer>& others, int64_t units) : others_(others.get()), units_(units) {}

  Tensor operator()(const Shape& shape, const RandomStream& random) const override {
    Tensor bias = (*others_)(shape, random);
    bias.slice(0, units_, 2 * units_).fill_(1);
    return bias;
  }
  std::string class_name() const override { return others_->class_name(); }
  Config get_config() const override { return others_->get_config(); }

 private:
  std::shared_ptr<Initializer> others_;
  int64_t units_;
};

}  // namespace

Config cell_config(const CellSettings& settings, const std::string& layer, const Config& sizes, const Config& others) {
  Config config = sizes;
  config.set("activation", to_config(settings.activation, layer));
  if (settings.recurrent_activation)
    config.set("recurrent_activation", to_config(*settings.recurrent_activation, layer));
  config.set("use_bias", settings.use_bias);
  if (settings.unit_forget_bias) config.set("unit_forget_bias", *settings.unit_forget_bias);
  const std::pair<const char*, const WeightOptions*> weights[] = {
      {"kernel", &settings.kernel}, {"recurrent", &settings.recurrent}, {"bias", &settings.bias}};
  for (const auto& [name, options] : weights)
    config.set(std::string(name) + "_initializer", to_config(options->initializer));
  for (const auto& [name, options] : weights)
    config.set(std::string(name) + "_regularizer", to_config(options->regularizer));
  for (const auto& [name, options] : weights)
    config.set(std::string(name) + "_constraint", to_config(options->constraint));
  config.set("dropout", settings.dropout);
  config.set("recurrent_dropout", settings.recurrent_dropout);
  for (const auto& [key, value] : others.as_object()) config.set(key, value);
  config.set("seed", seed_to_config(settings.seed));
  return config;
}

void check_cell(const CellSettings& settings, const std::string& layer) {
  settings.activation.check();
  if (settings.recurrent_activation) settings.recurrent_activation->check();
  const auto check_share = [&](const char* what, double rate) {
    if (!(rate >= 0 && rate < 1)) throw InvalidArgument(c10::str(layer, ": ", what, " must be in [0, 1), got ", rate));
  };
  check_share("dropout", settings.dropout);
  check_share("recurrent_dropout", settings.recurrent_dropout);
  if (settings.implementation != 1 && settings.implementation != 2)
    throw InvalidArgument(c10::str(layer, ": implementation must be 1 or 2, got ", settings.implementation));
}

Handle<Initializer> with_unit_forget_bias(const Handle<Initializer>& others, int64_t units) {
  return Handle<Initializer>(std::make_shared<UnitForgetBias>(others, units));
}

}  // namespace tandem
