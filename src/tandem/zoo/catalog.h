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
/// The recipe alone; builds nothing.
Recipe recipe(const std::string& name);
std::vector<std::string> names();

}  // namespace tandem::zoo
