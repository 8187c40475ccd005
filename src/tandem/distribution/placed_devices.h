#pragma once
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "tandem/core/device.h"
#include "tandem/core/device_stream.h"
#include "tandem/core/trace_span.h"
#include "tandem/distribution/device_threads.h"
#include "tandem/distribution/placed_weights.h"
#include "tandem/layers/call_trace.h"
#include "tandem/network/divided_graph.h"

namespace tandem::distribute {

/// The devices over which one replica's layers are spread. The first is the thread that calls run, the replica's own,
/// which has its stream current where it is a GPU; other GPUs have streams here.
class PlacedDevices {
 public:
  PlacedDevices(Devices devices, std::vector<Weight> weights, int64_t threads_per_device);

  const Devices& devices() const { return devices_; }
  PlacedWeights& weights() { return weights_; }
  const PlacedWeights& weights() const { return weights_; }
  /// Where the values of a device lie.
  c10::Device memory(std::size_t device) const { return memory_[device]; }

  /// Calls `segment(s)` for every segment of `divided`, on the thread of its device, each when those that it needs have
  /// ended: for `backward` those after it. Throws what failed first when all have ended. `timed`: counts the seconds.
  void run(const DividedGraph& divided, bool backward, bool timed, const std::function<void(std::size_t)>& segment);

  /// `tensor` goes from one device to another. CPU devices share memory: it is handed over as it is.
  void note_sent(std::size_t from, std::size_t to, const Tensor& tensor);
  int64_t bytes_sent(std::size_t device) const { return facts_[device].sent; }
  /// Seconds in which a device computed segments in training; of the first device those in which it waited for others.
  double seconds_computing(std::size_t device) const { return facts_[device].computing; }
  double seconds_waiting() const { return waiting_; }

  /// Where the layers on a device are recorded; `first` on the first device.
  CallTrace* trace(std::size_t device, CallTrace* first) { return device == 0 ? first : &traces_[device - 1]; }
  void reset_traces();
  /// What was recorded on all but the first device.
  std::vector<TraceSpan> trace_spans() const;

 private:
  struct Facts {
    std::atomic<int64_t> sent = 0;
    double computing = 0;  // written by the device's thread only, while a round runs
  };

  Devices devices_;
  std::vector<c10::Device> memory_;    // by device
  std::vector<DeviceStream> streams_;  // of all but the first
  bool gpus_;                          // among them
  PlacedWeights weights_;
  std::vector<Facts> facts_;
  double waiting_ = 0;
  std::vector<CallTrace> traces_;
  DeviceThreads threads_;  // last: they end before what they use
};

}  // namespace tandem::distribute
