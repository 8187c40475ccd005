#pragma once
#include <chrono>
#include <cstdint>

namespace tandem {

/// Now, in seconds of the clock that never goes back; its zero means nothing.
inline double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

inline double seconds_of(std::chrono::milliseconds time) { return static_cast<double>(time.count()) / 1000; }

inline std::chrono::milliseconds milliseconds_of(double seconds) {
  return std::chrono::milliseconds(static_cast<int64_t>(seconds * 1000));
}

}  // namespace tandem
