#include "stand_in_order.h"

#include <ATen/ATen.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <vector>

namespace tandem::testing {
namespace {

using Name = std::pair<c10::DeviceIndex, c10::StreamId>;  // of a stream
using Clock = std::map<Name, uint64_t>;                   // how much of each stream's work comes before

void join(Clock& clock, const Clock& other) {
  for (const auto& [stream, time] : other) clock[stream] = std::max(clock[stream], time);
}

struct Use {
  const char *begin, *end;
  Name stream;
  uint64_t time;
  bool changes;
  std::string operation;
};

std::mutex mutex;
std::map<Name, Clock> streams;
std::map<void*, Clock> events;
Clock host;  // of all threads together: what any of them has waited for
std::vector<Use> uses;
struct Postponed {
  Name stream;
  uint64_t time;
  std::function<void()> act;
};
std::vector<Postponed> postponed;
std::atomic<int64_t> waits = 0;

Name name_of(const c10::Stream& stream) { return {stream.device_index(), stream.id()}; }

// With the lock: the host has waited for what comes before `clock`.
void host_waited(const Clock& clock) {
  join(host, clock);
  std::erase_if(postponed, [](const Postponed& one) {
    if (host[one.stream] < one.time) return false;
    one.act();
    return true;
  });
}

bool overlap(const Use& a, const char* begin, const char* end) { return a.begin < end && begin < a.end; }

// The bytes from a tensor's first element to its last.
std::pair<const char*, const char*> extent(const at::Tensor& tensor) {
  int64_t last = 0;
  for (int64_t axis = 0; axis < tensor.dim(); ++axis) last += (tensor.size(axis) - 1) * tensor.stride(axis);
  const auto* begin = static_cast<const char*>(tensor.const_data_ptr());
  return {begin, begin + (last + 1) * static_cast<int64_t>(tensor.element_size())};
}

}  // namespace

void note_use(const at::Tensor& tensor, bool changes, const char* operation) {
  if (!tensor.defined() || tensor.is_cpu() || tensor.numel() == 0) return;
  const auto stream = name_of(c10::impl::VirtualGuardImpl(tensor.device().type()).getStream(tensor.device()));
  const auto [begin, end] = extent(tensor);
  const std::lock_guard lock(mutex);
  Clock& clock = streams[stream];
  join(clock, host);
  const uint64_t now = ++clock[stream];
  std::string race;
  std::erase_if(uses, [&](const Use& use) {
    if (!overlap(use, begin, end) || (!changes && !use.changes)) return false;
    const bool before = clock[use.stream] >= use.time;
    if (!before)
      race = c10::str("race: ", operation, " on stream ", stream.second, " ", changes ? "changes" : "reads", " what ",
                      use.operation, " on stream ", use.stream.second, use.changes ? " changed" : " read",
                      " without waiting for it");
    // What lies within a later change need not be looked at again.
    return before && changes && begin <= use.begin && use.end <= end;
  });
  TORCH_CHECK(race.empty(), race);
  // One entry for what a stream does with a place again and again.
  for (auto& use : uses) {
    if (use.begin == begin && use.end == end && use.stream == stream && use.changes == changes) {
      use.time = now;
      use.operation = operation;
      return;
    }
  }
  uses.push_back({begin, end, stream, now, changes, operation});
}

void note_record(void* event, const c10::Stream& stream) {
  const std::lock_guard lock(mutex);
  events[event] = streams[name_of(stream)];
}

void note_wait(void* event, const c10::Stream& stream) {
  const std::lock_guard lock(mutex);
  join(streams[name_of(stream)], events[event]);
}

int64_t stream_waits() { return waits; }

void note_host_waited(const c10::Stream& stream) {
  ++waits;
  const std::lock_guard lock(mutex);
  host_waited(streams[name_of(stream)]);
}

void note_host_waited(void* event) {
  const std::lock_guard lock(mutex);
  host_waited(events[event]);
}

void note_host_waited(c10::DeviceIndex device) {
  const std::lock_guard lock(mutex);
  for (const auto& [stream, clock] : streams) {
    if (stream.first == device) host_waited(clock);
  }
}

void when_host_waited(const c10::Stream& stream, std::function<void()> act) {
  const std::lock_guard lock(mutex);
  const auto name = name_of(stream);
  postponed.push_back({name, streams[name][name], std::move(act)});
}

void note_freed(const void* begin, std::size_t bytes) {
  const auto* first = static_cast<const char*>(begin);
  const std::lock_guard lock(mutex);
  std::erase_if(uses, [&](const Use& use) { return overlap(use, first, first + bytes); });
}

}  // namespace tandem::testing
