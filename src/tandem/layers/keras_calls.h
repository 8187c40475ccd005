#pragma once
#include <string>

#include "tandem/core/config.h"

/// What Keras 3.15 writes about a layer's building and its calls that follows from the class alone, so that configs
/// come out as Keras's own. Where a class is missing here the file says a little more or less, and Keras reads it all
/// the same.
namespace tandem {

/// False for classes that Keras counts as built once they are made: they have no build_config.
bool keras_writes_build_config(const std::string& class_name);

/// Keyword arguments that Keras notes for a call on `inputs` tensors: {"training": false}, {"mask": null}, or none.
Config keras_call_arguments(const std::string& class_name, std::size_t inputs);

/// The keyword argument by which a class gets all inputs but the first, as a list: "initial_state" of the recurrent
/// layers. Empty: it gets its inputs as one argument.
std::string keras_later_inputs(const std::string& class_name);

}  // namespace tandem
