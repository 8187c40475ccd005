#pragma once
#include <string>

#include "tandem/model/model.h"

/// Tests only: a network of the zoo against the same one built in real Keras (tests/fixtures/zoo_cases.py).
namespace tandem::testing {

/// Expects the layers of keras/zoo/<name> in order, by name, class, output shape and number of weights, and the arrows
/// that plot_model draws between them. To be made right after clear_session.
void expect_layers_as_keras(const std::string& name, const Model& model);

/// Expects what Keras predicts from the weights and rows that the case gives by formulas, and its regularization.
void expect_predicts_as_keras(const std::string& name, Model model);

}  // namespace tandem::testing
