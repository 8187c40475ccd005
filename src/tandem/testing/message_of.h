#pragma once
#include <string>

#include "tandem/core/error.h"

namespace tandem::testing {

/// Runs `act`, which must throw an E, and returns its message; "nothing was thrown" when it does not.
template <class E = InvalidArgument, class F>
std::string message_of(F&& act) {
  try {
    act();
  } catch (const E& error) {
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace tandem::testing
