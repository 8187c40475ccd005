#include "stand_in_memory.h"

#include <ATen/ATen.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "stand_in_order.h"

namespace tandem::testing {
namespace {

constexpr auto kType = c10::DeviceType::PrivateUse1;
constexpr c10::DeviceIndex kDevices = 2;

thread_local c10::DeviceIndex current_device = 0;
thread_local c10::StreamId current_streams[kDevices] = {0, 0};
std::atomic<c10::StreamId> next_stream{1};

struct Block {
  char* open;
  std::size_t bytes;
  c10::DeviceIndex device;
};
std::mutex mutex;
std::map<char*, Block> blocks;  // by the closed side
int64_t bytes_now[kDevices] = {0, 0}, bytes_at_most[kDevices] = {0, 0};
std::set<const void*> page_locked;

void release(void* closed) {
  const std::lock_guard lock(mutex);
  const auto block = blocks.find(static_cast<char*>(closed));
  note_freed(closed, block->second.bytes);
  bytes_now[block->second.device] -= static_cast<int64_t>(block->second.bytes);
  munmap(block->first, block->second.bytes);
  munmap(block->second.open, block->second.bytes);
  blocks.erase(block);
}

class Memory final : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override {
    const c10::Device device(kType, current_device);
    if (bytes == 0) return {nullptr, nullptr, &c10::detail::deleteNothing, device};
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    bytes = (bytes + page - 1) / page * page;
    const int file = memfd_create("stand-in", 0);
    TORCH_CHECK(file >= 0 && ftruncate(file, static_cast<off_t>(bytes)) == 0, "stand-in: no memory");
    void* closed = mmap(nullptr, bytes, PROT_NONE, MAP_SHARED, file, 0);
    void* open = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    TORCH_CHECK(closed != MAP_FAILED && open != MAP_FAILED, "stand-in: no memory");
    const std::lock_guard lock(mutex);
    blocks[static_cast<char*>(closed)] = {static_cast<char*>(open), bytes, device.index()};
    auto& now = bytes_now[device.index()] += static_cast<int64_t>(bytes);
    bytes_at_most[device.index()] = std::max(bytes_at_most[device.index()], now);
    return {closed, closed, &release, device};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &release; }
  void copy_data(void*, const void*, std::size_t) const override {
    TORCH_CHECK(false, "stand-in: memory is copied as tensors only");
  }
};

class PageLocked final : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override {
    void* memory = std::malloc(bytes ? bytes : 1);
    const std::lock_guard lock(mutex);
    page_locked.insert(memory);
    return {memory, memory, &drop, at::kCPU};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &drop; }
  void copy_data(void* to, const void* from, std::size_t bytes) const override { default_copy_data(to, from, bytes); }

 private:
  static void drop(void* memory) {
    {
      const std::lock_guard lock(mutex);
      page_locked.erase(memory);
    }
    std::free(memory);
  }
};

class Hooks final : public at::PrivateUse1HooksInterface {
 public:
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return true; }
  bool hasPrimaryContext(c10::DeviceIndex) const override { return true; }
  c10::DeviceIndex deviceCount() const override { return kDevices; }
  bool isPinnedPtr(const void* memory) const override {
    const std::lock_guard lock(mutex);
    return page_locked.contains(memory);
  }
  at::Allocator* getPinnedMemoryAllocator() const override {
    static PageLocked allocator;
    return &allocator;
  }
};

// Work is done when it is given, so streams and events are only watched.
class Guard final : public c10::impl::DeviceGuardImplInterface {
 public:
  using Device = c10::Device;
  using Stream = c10::Stream;
  c10::DeviceType type() const override { return kType; }
  Device getDevice() const override { return {kType, current_device}; }
  Device exchangeDevice(Device device) const override { return {kType, std::exchange(current_device, device.index())}; }
  void setDevice(Device device) const override { current_device = device.index(); }
  void uncheckedSetDevice(Device device) const noexcept override { current_device = device.index(); }
  Stream getStream(Device device) const override {
    return Stream(Stream::UNSAFE, device, current_streams[device.index()]);
  }
  Stream getDefaultStream(Device device) const override { return Stream(Stream::UNSAFE, device, 0); }
  Stream getStreamFromGlobalPool(Device device, bool) const override {
    return Stream(Stream::UNSAFE, device, next_stream++);
  }
  Stream exchangeStream(Stream stream) const override {
    return Stream(Stream::UNSAFE, stream.device(), std::exchange(current_streams[stream.device_index()], stream.id()));
  }
  c10::DeviceIndex deviceCount() const noexcept override { return kDevices; }
  void record(void** event, const Stream& stream, c10::DeviceIndex, c10::EventFlag) const override {
    if (!*event) *event = new char;
    note_record(*event, stream);
  }
  void block(void* event, const Stream& stream) const override { note_wait(event, stream); }
  void destroyEvent(void* event, c10::DeviceIndex) const noexcept override { delete static_cast<char*>(event); }
  bool queryEvent(void*) const override { return true; }
  void synchronizeEvent(void* event) const override { note_host_waited(event); }
  bool queryStream(const Stream&) const override { return true; }
  void synchronizeStream(const Stream& stream) const override { note_host_waited(stream); }
  void synchronizeDevice(c10::DeviceIndex device) const override { note_host_waited(device); }
};

}  // namespace

c10::Allocator& stand_in_memory() {
  static Memory memory;
  return memory;
}

int64_t stand_in_bytes(c10::DeviceIndex device) {
  const std::lock_guard lock(mutex);
  return bytes_now[device];
}

int64_t stand_in_peak_bytes(c10::DeviceIndex device) {
  const std::lock_guard lock(mutex);
  return std::exchange(bytes_at_most[device], bytes_now[device]);
}

at::Tensor opened(const at::Tensor& tensor) {
  if (tensor.is_cpu()) return tensor;
  const auto options = tensor.options().device(at::kCPU);
  if (tensor.numel() == 0) return at::empty_strided(tensor.sizes(), tensor.strides(), options);
  auto* closed = static_cast<char*>(const_cast<void*>(tensor.const_data_ptr()));
  const std::lock_guard lock(mutex);
  const auto block = std::prev(blocks.upper_bound(closed));
  return at::from_blob(block->second.open + (closed - block->first), tensor.sizes(), tensor.strides(), options);
}

void register_stand_in_devices() {
  c10::register_privateuse1_backend("standin");
  c10::SetAllocator(kType, &stand_in_memory());
  at::RegisterPrivateUse1HooksInterface(new Hooks);  // LibTorch keeps both for good
  static const c10::impl::DeviceGuardImplRegistrar guard(kType, new Guard);
}

}  // namespace tandem::testing
