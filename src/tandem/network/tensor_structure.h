#pragma once
#include <vector>

#include "tandem/core/config.h"

/// The members "input_layers" and "output_layers" of a functional model's config: references [layer, call, output],
/// alone, in lists, or in objects by name, as the model's author nested them.
namespace tandem {

/// The references in the order in which Keras flattens them: objects by sorted key. Throws DataError on anything else.
std::vector<Config> structure_leaves(const Config& structure);

/// The same nesting around other references, given in that order.
Config structure_with_leaves(const Config& structure, const std::vector<Config>& leaves);

/// The sorted keys of an object whose members are references; empty for any other nesting.
std::vector<std::string> structure_names(const Config& structure);

}  // namespace tandem
