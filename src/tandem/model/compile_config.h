#pragma once
#include <string>
#include <vector>

#include "tandem/core/config.h"
#include "tandem/model/compile_options.h"

namespace tandem {

/// The options of compile from "compile_config" of a Keras 3 file, for a model with these outputs: optimizer (with its
/// schedule), loss, loss_weights, metrics and weighted_metrics, each as a name, an object, a list by output or an
/// object by output name. What says how fast to run and not what (run_eagerly, jit_compile, steps_per_execution) is
/// left out. Throws InvalidArgument on a name or setting that is not known, and on an output without a loss; DataError
/// on a config of another form.
CompileOptions compile_options_from_config(const Config& compile_config, const std::vector<std::string>& outputs);

/// What compile_options_from_config reads again. Names stay names, the strategy is left out. Throws InvalidArgument on
/// a loss, metric or optimizer that has no config.
Config compile_options_to_config(const CompileOptions& options);

/// "training_config" of a whole model's .h5 file as Keras 3 writes it, for its reader and for
/// compile_options_from_training_config. Throws as compile_options_to_config.
Config compile_options_to_training_config(const CompileOptions& options);

/// The options from "training_config" of a legacy .h5 file, written by Keras 2 or 3.
CompileOptions compile_options_from_training_config(const Config& training_config,
                                                    const std::vector<std::string>& outputs);

}  // namespace tandem
