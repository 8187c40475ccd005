#pragma once
#include <functional>
#include <string>

namespace tandem::data {

/// The message of the `Expected` that `call` throws, which must be one line.
template <class Expected>
std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Expected& error) {
    const std::string text = error.what();
    return text.find('\n') == std::string::npos ? text : "more than one line: " + text;
  }
  return "nothing was thrown";
}

}  // namespace tandem::data
