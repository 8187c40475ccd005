#pragma once

namespace tandem::kernels {

#if defined(__x86_64__)
template <class Loops>
[[gnu::target("avx512f"), gnu::flatten]] void on_avx512(const Loops& loops) {
  loops();
}

template <class Loops>
[[gnu::target("avx2,fma"), gnu::flatten]] void on_avx2(const Loops& loops) {
  loops();
}
#endif

/// Runs `loops`, a callable without arguments, compiled for the widest vectors of this processor: everything that it
/// calls is inlined into one copy for each instruction set. (GCC's target_clones would do the same, but ThreadSanitizer
/// cannot start a program that has them.)
template <class Loops>
void with_widest_vectors(const Loops& loops) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return on_avx512(loops);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return on_avx2(loops);
#endif
  loops();
}

}  // namespace tandem::kernels
