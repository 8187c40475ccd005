#pragma once
#include <string>
#include <vector>

#include "tandem/model/model.h"
#include "tandem/zoo/recipe.h"

namespace tandem::zoo {

/// A model by the name that the command line takes, for `classes` classes, with its recipe.
struct Entry {
  Model model;
  Recipe recipe;
};
/// Throws InvalidArgument that proposes the nearest known names.
Entry make(const std::string& name, int64_t classes);
std::vector<std::string> names();

}  // namespace tandem::zoo
