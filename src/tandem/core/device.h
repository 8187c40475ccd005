#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace tandem {

/// Where a replica computes. `cpu:k` is a virtual device: a replica thread with its own share of the cores. `gpu:k`
/// counts visible devices (CUDA_VISIBLE_DEVICES). `gpu:0/2` is one of two virtual devices on one GPU.
struct Device {
  enum class Kind { cpu, gpu };
  Kind kind = Kind::cpu;
  int64_t index = 0;
  int64_t parts = 1;

  Device() = default;
  /// Parses "cpu:0", "gpu:1", "gpu:0/2", and Keras's "/gpu:0", "/device:GPU:0". Throws InvalidArgument on other text.
  Device(const char* text);
  Device(const std::string& text) : Device(text.c_str()) {}

  std::string to_string() const;
  bool operator==(const Device&) const = default;
};

/// An ordered list of devices.
class Devices {
 public:
  Devices() = default;
  Devices(std::initializer_list<Device> devices) : devices_(devices) {}
  static Devices of(std::vector<Device> devices);
  /// Parses "cpu:0,cpu:1", "cpu*4", "gpu*2", "gpu:0/2,gpu:0/2", "auto" (every visible GPU, else one CPU device with all
  /// cores).
  static Devices parse(const std::string& text);
  /// gpu:0 ... gpu:n-1. Throws InvalidArgument, naming devices asked for and visible, when fewer are visible.
  static Devices gpus(int64_t n);

  int64_t size() const { return static_cast<int64_t>(devices_.size()); }
  bool empty() const { return devices_.empty(); }
  const Device& operator[](int64_t i) const { return devices_[static_cast<std::size_t>(i)]; }
  auto begin() const { return devices_.begin(); }
  auto end() const { return devices_.end(); }
  std::string to_string() const;
  bool operator==(const Devices&) const = default;

 private:
  std::vector<Device> devices_;
};

/// Number of GPUs that this process sees.
int64_t visible_gpus();

/// Cores that this process may use: its affinity mask, cut down by the cgroup's quota; at least 1.
int64_t available_cores();

/// Throws InvalidArgument, naming what was asked for and what is visible, when a device is not there or is named twice
/// (a CPU device twice, or the same GPU more often than its parts).
void check_available(const Devices& devices);
/// The same for a machine with `visible` GPUs.
void check_available(const Devices& devices, int64_t visible);

}  // namespace tandem
