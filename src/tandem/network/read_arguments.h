#pragma once
#include <functional>

#include "tandem/core/config.h"
#include "tandem/layers/call_arguments.h"

namespace tandem {

/// Adds the input that a reference [layer, call, output] stands for to a call's, and returns its number.
using AddInput = std::function<int64_t(const Config& reference)>;

/// The arguments of a call as Keras 3 writes it: {"args": [...], "kwargs": {...}}. Throws DataError on tensors that are
/// not of the graph and on arguments that nest without end.
CallArguments read_arguments(const Config& call, const AddInput& add_input);

/// As Keras 2 did: [["q", 0, 0, {"value": ["v", 0, 0], "use_causal_mask": true}]].
CallArguments read_old_arguments(const Config::List& call, const AddInput& add_input);

}  // namespace tandem
