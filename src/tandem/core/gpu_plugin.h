#pragma once
#include <cstdint>
#include <string>

namespace tandem {

/// LibTorch's part for GPUs and Tandem's own plug-in for it, libtandem_cuda: both are opened while the program runs,
/// and only where there is a GPU driver, so that one build serves machines with and without.
///
/// LibTorch looks for its part for GPUs once, in the first operation that could need it, a convolution among them, and
/// never again. So that part is opened when Tandem itself is loaded, before any operation can have run. Where
/// CUDA_VISIBLE_DEVICES is set to nothing or to -1 it is not: such a process starts as fast as one without a GPU.
class GpuPlugin {
 public:
  /// Throws InvalidArgument that names what is missing, where no GPU can be used.
  static void open();
  /// GPUs that this process sees; 0 where open would throw.
  static int64_t visible();
  /// A function of libtandem_cuda. Throws InvalidArgument where that library was not built, or cannot be opened.
  static void* symbol(const std::string& name);
};

}  // namespace tandem
