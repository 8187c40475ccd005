#pragma once
#include <optional>

#include "tandem/core/config.h"
#include "tandem/core/state_dict.h"
#include "tandem/model/compile_options.h"
#include "tandem/network/network.h"
#include "tandem/optimizers/optimizer.h"
#include "tandem/saving/h5_file.h"

namespace tandem {

/// Where an optimizer's state is in a whole model's .h5. Keras's place for it is "optimizer_weights"; there Keras 3
/// (3.15) builds the optimizer that it reads for no weights at all and refuses to train the model, its own files
/// included. So it is kept beside, where Keras passes it over and trains on with new slots.
inline constexpr const char* kLegacyOptimizer = "tandem_optimizer_weights";
inline constexpr const char* kKerasLegacyOptimizer = "optimizer_weights";
/// Of a model's preprocessing (saving/state_group.h); Keras passes it over.
inline constexpr const char* kLegacyPreprocessing = "tandem_preprocessing";

/// What compile made of a model, for a file.
struct CompiledState {
  const CompileOptions& options;
  const Optimizer& optimizer;
  std::optional<StateDict> state;  // none before the first update
};

/// Writes a network and how it was compiled (null: not) into a new file as keras.Model.save("x.h5") of Keras 3 does
/// (keras/src/legacy/saving/legacy_h5_format.py), the optimizer's state apart. `entry`: the network's config as a
/// .keras file has it.
void write_legacy_model(const Network& network, const Config& entry, const CompiledState* compiled,
                        const saving::H5Group& root);

}  // namespace tandem
