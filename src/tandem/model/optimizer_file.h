#pragma once
#include <optional>
#include <string>
#include <vector>

#include "tandem/core/state_dict.h"
#include "tandem/layers/weight.h"
#include "tandem/optimizers/optimizer.h"
#include "tandem/saving/h5_file.h"

namespace tandem {

/// How far an optimizer has come.
struct OptimizerProgress {
  std::optional<StateDict> state;  // as Execution::optimizer_state; none before the first update
  std::optional<double> rate;      // none where a schedule gives it
};

/// Writes the variables of an optimizer of `trained` weights as Keras 3 does: data sets "optimizer/vars/0", ... of
/// `root` with the count of updates, the rate unless a schedule gives it, and the slots in the order in which Keras
/// makes them (keras/src/optimizers/base_optimizer.py of Keras 3.15), which is at the first update: without a state
/// there are none.
void write_optimizer(const Optimizer& optimizer, const std::vector<Weight>& trained,
                     const std::optional<StateDict>& state, const saving::H5Group& root);

/// Reads them again. Nothing where there are none, and with a warning, as in Keras, where their number is that of
/// another optimizer or model. Throws DataError naming file and path where a variable is damaged or of another shape.
std::optional<OptimizerProgress> read_optimizer(const Optimizer& optimizer, const std::vector<Weight>& trained,
                                                const saving::H5Group& root);

/// The same variables in the layout of whole models in .h5: data sets "adam/dense_kernel_momentum" of `group` in the
/// order of its attribute weight_names. `names`: those of the weights, "dense/kernel".
void write_legacy_optimizer(const Optimizer& optimizer, const std::vector<std::string>& names,
                            const std::optional<StateDict>& state, const saving::H5Group& group);
std::optional<OptimizerProgress> read_legacy_optimizer(const Optimizer& optimizer, const std::vector<Weight>& trained,
                                                       const saving::H5Group& group);

}  // namespace tandem
