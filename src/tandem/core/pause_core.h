#pragma once

namespace tandem {

/// For loops that look for another thread's change: lets the core's other half run, and costs some nanoseconds.
inline void pause_core() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace tandem
