#pragma once
#include <tandem/model/model.h>

#include <vector>

namespace tandem::testing {

/// A model that was written as C++: the conformance case that it is of, and the function that builds it.
struct ConvertedCase {
  const char* name;
  Model (*make)();
};

/// All of them; the definition is written by write_converted.
const std::vector<ConvertedCase>& converted_cases();

}  // namespace tandem::testing
