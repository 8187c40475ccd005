#pragma once
#include "case_folder.h"
#include "tandem/model/model.h"

namespace tandem::conformance {

/// Saves the model's weights and compares every data set of trained.weights.h5 with the one under the same path.
void compare_trained_weights(Differences& differences, const CaseFolder& folder, Model& model);
/// The model's own config against config.json, as far as Keras's file holds what a reader needs.
void compare_config(Differences& differences, const CaseFolder& folder, const Model& model);

}  // namespace tandem::conformance
