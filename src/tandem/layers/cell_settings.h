#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "tandem/layers/activation_function.h"
#include "tandem/layers/noise.h"
#include "tandem/layers/serialization.h"
#include "tandem/layers/weight_config.h"

namespace tandem {

/// The settings that recurrent cells share; what only some cells have is unset for the others.
struct CellSettings {
  ActivationFunction activation = {};
  std::optional<ActivationFunction> recurrent_activation = {};
  bool use_bias = true;
  WeightOptions kernel = {};
  WeightOptions recurrent = {};
  WeightOptions bias = {};
  std::optional<bool> unit_forget_bias = {};
  double dropout = 0;
  double recurrent_dropout = 0;
  Seed seed = {};
  int64_t implementation = 2;  // 1: each gate has a dropout mask of its own
};

/// What an Options aggregate of a cell or of its layer holds under Keras's names.
template <class Options>
CellSettings cell_settings(const Options& options) {
  CellSettings settings{.activation = options.activation,
                        .use_bias = options.use_bias,
                        .kernel = {.initializer = options.kernel_initializer,
                                   .regularizer = options.kernel_regularizer,
                                   .constraint = options.kernel_constraint},
                        .recurrent = {.initializer = options.recurrent_initializer,
                                      .regularizer = options.recurrent_regularizer,
                                      .constraint = options.recurrent_constraint},
                        .bias = {.initializer = options.bias_initializer,
                                 .regularizer = options.bias_regularizer,
                                 .constraint = options.bias_constraint},
                        .dropout = options.dropout,
                        .recurrent_dropout = options.recurrent_dropout,
                        .seed = options.seed};
  if constexpr (requires { options.recurrent_activation; })
    settings.recurrent_activation = options.recurrent_activation;
  if constexpr (requires { options.unit_forget_bias; }) settings.unit_forget_bias = options.unit_forget_bias;
  if constexpr (requires { options.implementation; }) settings.implementation = options.implementation;
  return settings;
}

/// The same from a config; what is missing has Keras's defaults.
template <class Options>
void read_cell_options(const Config& config, Options& options) {
  const auto read_weight = [&](const char* name, auto& initializer, auto& regularizer, auto& constraint) {
    const std::string key(name);
    initializer = initializer_from(config, key + "_initializer", initializer);
    regularizer = regularizer_from(config, key + "_regularizer");
    constraint = constraint_from(config, key + "_constraint");
  };
  if (config.contains("activation")) options.activation = activation_from(config, "activation");
  options.use_bias = config.get("use_bias", true).as_bool();
  read_weight("kernel", options.kernel_initializer, options.kernel_regularizer, options.kernel_constraint);
  read_weight("recurrent", options.recurrent_initializer, options.recurrent_regularizer, options.recurrent_constraint);
  read_weight("bias", options.bias_initializer, options.bias_regularizer, options.bias_constraint);
  options.dropout = config.get("dropout", 0.0).as_double();
  options.recurrent_dropout = config.get("recurrent_dropout", 0.0).as_double();
  options.seed = seed_from(config);
  if constexpr (requires { options.recurrent_activation; }) {
    if (config.contains("recurrent_activation"))
      options.recurrent_activation = activation_from(config, "recurrent_activation");
  }
  if constexpr (requires { options.unit_forget_bias; })
    options.unit_forget_bias = config.get("unit_forget_bias", true).as_bool();
  if constexpr (requires { options.implementation; }) options.implementation = config.get("implementation", 2).as_int();
}

/// The settings under Keras's keys and in its order, behind those of `sizes` and, but for the seed, before `others`.
Config cell_config(const CellSettings& settings, const std::string& layer, const Config& sizes, const Config& others);

/// Throws InvalidArgument naming `layer` on an unknown activation, a rate outside of [0, 1) or an implementation other
/// than 1 and 2.
void check_cell(const CellSettings& settings, const std::string& layer);

/// A bias of gates of `units` each, of which the second, the forget gate's, begins at 1 (Jozefowicz et al. 2015).
Handle<Initializer> with_unit_forget_bias(const Handle<Initializer>& others, int64_t units);

}  // namespace tandem
