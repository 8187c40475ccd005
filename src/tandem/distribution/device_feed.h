#pragma once
#include <c10/core/Event.h>

#include <array>
#include <cstdint>
#include <vector>

#include "tandem/core/device_stream.h"
#include "tandem/data/batch.h"

namespace tandem::distribute {

/// Carries one replica's batches to its GPU while the one before is computed: by way of page-locked memory, on a stream
/// of its own. Buffers are used again. Both calls are made on the replica's thread, within its StreamScope.
class DeviceFeed {
 public:
  explicit DeviceFeed(c10::Device device);
  ~DeviceFeed();
  DeviceFeed(const DeviceFeed&) = delete;
  DeviceFeed& operator=(const DeviceFeed&) = delete;

  /// Starts to copy `batch`, whose tensors may be changed when this returns unless they are page-locked themselves. At
  /// most two batches may be begun and not taken.
  void begin(const data::Batch& batch);
  /// The batch that was begun first, on the GPU: what is computed on the current stream from now on waits there for the
  /// copy. Its tensors are overwritten by the first begin after the next take.
  data::Batch take();
  /// Batches that were begun and not taken.
  int64_t waiting() const { return begun_ - taken_; }

 private:
  struct Buffer {
    Tensor host;     // page-locked
    Tensor on_card;  // as large as the largest batch so far
    Tensor batch;    // the part of it that this batch fills
  };
  struct Place {
    explicit Place(c10::DeviceType type) : copied(type), used(type) {}
    data::Batch batch;  // in host memory: only what it says of division is read again
    std::vector<Buffer> buffers;
    c10::Event copied;  // the batch is on the card
    c10::Event used;    // what was computed of the batch before it
  };
  static constexpr int64_t kPlaces = 2;

  Place& place(int64_t number) { return places_[static_cast<std::size_t>(number % kPlaces)]; }
  // True where the buffer had to be made anew to hold `tensor`.
  bool make_room(Buffer& buffer, const Tensor& tensor);
  c10::Stream current_stream() const;

  const DeviceStream stream_;
  std::array<Place, kPlaces> places_;
  int64_t begun_ = 0, taken_ = 0;
};

}  // namespace tandem::distribute
