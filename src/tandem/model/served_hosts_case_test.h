#pragma once
#include <string>
#include <vector>

#include "tandem/layers/dense.h"
#include "tandem/layers/input.h"
#include "tandem/layers/regularizers.h"
#include "tandem/model/model.h"

/// What parameter servers of several hosts are tried with.
namespace tandem::per_host {

inline const std::vector<std::string> kWays{"all-reduce", "ring", "async-scatter-sum"},
    kModes{"sync", "stale", "async"};

inline Model hosts_network() {
  return Sequential({layers::Input({6}),
                     layers::Dense(5, {.activation = "tanh", .kernel_regularizer = regularizers::L2(0.1)}),
                     layers::Dense(3, {.activation = "softmax"})});
}

inline CompileOptions hosts_compile(const Handle<Optimizer>& optimizer, const distribute::Strategy& strategy = {}) {
  return {.optimizer = optimizer, .loss = "categorical_crossentropy", .metrics = {"accuracy"}, .strategy = strategy};
}

}  // namespace tandem::per_host
