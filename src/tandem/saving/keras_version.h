#pragma once

namespace tandem::saving {

/// The version of Keras that files say they were written by: the one whose formats they have.
inline constexpr const char* kKerasVersion = "3.15.1";

}  // namespace tandem::saving
