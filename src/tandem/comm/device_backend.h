#pragma once
#include <memory>
#include <vector>

#include "tandem/core/tensor.h"

namespace tandem::comm {

/// What a library of the GPU's vendor does for one rank between different cards. Calls put work on the current stream
/// and return; all ranks make them in one order, and at a time when all are there.
class DeviceBackend {
 public:
  virtual ~DeviceBackend() = default;
  virtual void all_reduce(Tensor& tensor) = 0;
  virtual void reduce_scatter(const Tensor& whole, Tensor& part) = 0;
  virtual void all_gather(const Tensor& part, Tensor& whole) = 0;
  virtual void broadcast(Tensor& tensor, int64_t root) = 0;
};

/// Adds one to `backends` for each of `ranks` ranks that are threads of this process. `limit_seconds`: for one
/// collective.
using MakeDeviceBackends = void(int64_t ranks, double limit_seconds,
                                std::vector<std::unique_ptr<DeviceBackend>>& backends);

/// What libtandem_cuda calls its MakeDeviceBackends: NCCL by way of LibTorch's c10d, which refuses two ranks on one
/// card.
inline constexpr const char* kMakeNcclBackends = "tandem_cuda_make_nccl_backends";

}  // namespace tandem::comm
