#pragma once
#include <string>
#include <vector>

namespace tandem {

/// Where a model's parts live. A place is "cpu", host memory, or a device: "cpu:1", "gpu:0". A virtual CPU device has
/// no memory but the host's; its name stands where a DeviceScope gave it.
struct Placement {
  /// The template's own (master) weights, which are saved and which replicas are loaded from: each place once. That of
  /// the DeviceScope around the model or its layers, "cpu" without one.
  std::vector<std::string> weights = {};
  /// Devices that compute, in order of rank, each with a copy of the weights.
  std::vector<std::string> replicas = {};
  /// Where the replicas' outputs are brought together by predict: host memory for GPUs; with one CPU replica the device
  /// that makes them.
  std::string outputs = {};

  /// "weights: cpu; replicas: cpu:0, cpu:1; outputs: cpu"
  std::string to_string() const;
  bool operator==(const Placement&) const = default;
};

}  // namespace tandem
