#pragma once
#include "tandem/core/config.h"
#include "tandem/layers/activity_loss.h"
#include "tandem/layers/projected_attention.h"
#include "tandem/layers/serialization.h"
#include "tandem/layers/weight_config.h"

namespace tandem {

/// What MultiHeadAttentionOptions and GroupQueryAttentionOptions have in common, which as aggregates can have no base;
/// heads and their sizes are left out.
template <class Options>
ProjectedAttentionSettings settings_from(const Options& options) {
  return {.dropout = options.dropout,
          .use_bias = options.use_bias,
          .use_gate = options.use_gate,
          .flash_attention = options.flash_attention,
          .sliding_window = options.sliding_window,
          .kernel = {.initializer = options.kernel_initializer,
                     .regularizer = options.kernel_regularizer,
                     .constraint = options.kernel_constraint},
          .bias = {.initializer = options.bias_initializer,
                   .regularizer = options.bias_regularizer,
                   .constraint = options.bias_constraint},
          .activity_regularizer = resolved(options.activity_regularizer),
          .seed = options.seed};
}

/// The same from a layer's config.
template <class Options>
Options projected_options_from(const Config& config) {
  const WeightOptions kernel = weight_options_from(config, "kernel", "glorot_uniform");
  const WeightOptions bias = weight_options_from(config, "bias", "zeros");
  Options options;
  options.dropout = config.get("dropout", 0.0).as_double();
  options.use_bias = config.get("use_bias", true).as_bool();
  options.kernel_initializer = kernel.initializer;
  options.bias_initializer = bias.initializer;
  options.kernel_regularizer = kernel.regularizer;
  options.bias_regularizer = bias.regularizer;
  options.activity_regularizer = regularizer_from(config, "activity_regularizer");
  options.kernel_constraint = kernel.constraint;
  options.bias_constraint = bias.constraint;
  options.use_gate = config.get("use_gate", false).as_bool();
  options.seed = seed_from(config);
  if (const Config window = config.get("sliding_window", {}); !window.is_null())
    options.sliding_window = window.as_int();
  return options;
}

}  // namespace tandem
