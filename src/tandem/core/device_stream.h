#pragma once
#include <c10/core/Device.h>
#include <c10/core/Stream.h>
#include <c10/core/StreamGuard.h>

#include <optional>

#include "tandem/core/device.h"

namespace tandem {

/// LibTorch's name of the device: its part of a divided GPU is the whole GPU. Opens what GPUs need; throws
/// InvalidArgument that names what is missing.
c10::Device torch_device(const Device& device);

/// The queue of work of one replica. On a GPU a stream of its own, so that what the virtual devices of one GPU do may
/// run at the same time; on a CPU work is done at once and there is none.
class DeviceStream {
 public:
  explicit DeviceStream(c10::Device device);

  c10::Device device() const { return device_; }
  const std::optional<c10::Stream>& stream() const { return stream_; }
  /// Returns when all work that was given to it is done.
  void synchronize() const;

 private:
  c10::Device device_;
  std::optional<c10::Stream> stream_;
};

/// While alive, this thread's work for the stream's GPU goes to that stream, and tensors of "a GPU" are made on it.
/// Costs no call of the driver.
class StreamScope {
 public:
  explicit StreamScope(const DeviceStream& stream) : guard_(stream.stream()) {}

 private:
  c10::OptionalStreamGuard guard_;
};

}  // namespace tandem
