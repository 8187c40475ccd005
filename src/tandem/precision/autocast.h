#pragma once
#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

namespace tandem::precision {

/// While alive, LibTorch's operations on this thread choose their types: products and convolutions 16 bits, what needs
/// range or many sums float32, as torch.autocast. For modules and functions of torch::nn; Keras's layers go by their
/// DTypePolicy. Leave it before backward, which computes in the types of forward.
///
///     {
///       const precision::Autocast in_16_bits(torch::kBFloat16);
///       loss = torch::nn::functional::cross_entropy(module(x), y);
///     }
///     loss.backward();
class Autocast {
 public:
  /// `type`: BFloat16 or Half; InvalidArgument on others.
  explicit Autocast(c10::ScalarType type, c10::DeviceType device = c10::DeviceType::CPU);
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  const c10::DeviceType device_;
  bool was_enabled_;
  c10::ScalarType type_before_;
};

}  // namespace tandem::precision
