#pragma once
#include <string>
#include <vector>

#include "tandem/core/config.h"
#include "tandem/model/model.h"

/// Tests only: a model against what real Keras computed for it (tests/fixtures/README.md).
namespace tandem::testing {

struct KerasModelCase {
  explicit KerasModelCase(const std::string& name);

  Tensor load(const std::string& file) const;
  /// prefix0.npy, prefix1.npy, ... or the one prefix.npy.
  std::vector<Tensor> load_all(const std::string& prefix) const;
  /// The case's arguments of fit.
  FitOptions fit_options() const;

  std::string folder;  // below tests/fixtures
  Config about;        // case.json
};

struct KerasExpectations {
  double tolerance = 2e-5;  // of losses, weights and predictions, relative and absolute
  Handle<Callback> callback = {};
};

/// Sets the case's weights, compiles, predicts, fits as often as the case says, predicts and evaluates, and expects
/// what Keras got: layers and weights in order, predictions, the loss of every step, the histories, and the weights.
void expect_trains_as_keras(const std::string& name, Model model, const CompileOptions& compile,
                            const KerasExpectations& expectations = {});

}  // namespace tandem::testing
