#include "tandem/distribution/placed_order.h"

#include <c10/core/impl/VirtualGuardImpl.h>

namespace tandem::distribute {
namespace {

c10::Stream stream_here(c10::Device device) { return c10::impl::VirtualGuardImpl(device.type()).getStream(device); }

}  // namespace

PlacedOrder::PlacedOrder(const std::vector<c10::Device>& devices, std::size_t segments)
    : devices_(devices), ended_(segments) {
  set(start_, 0);
}

void PlacedOrder::set(Mark& mark, std::size_t place) const {
  const auto device = devices_[place];
  mark.place = place;
  if (!device.is_cpu()) mark.event.emplace(device.type()).record(stream_here(device));
}

void PlacedOrder::await(const Mark& mark, std::size_t place) const {
  if (!mark.event) return;
  const auto here = devices_[place], there = devices_[mark.place];
  if (here.is_cpu()) return mark.event->synchronize();
  mark.event->block(stream_here(here));
  // A copy from there runs on this thread's stream of that GPU.
  if (there != here) mark.event->block(stream_here(there));
}

void PlacedOrder::begin(std::size_t place, const std::vector<std::size_t>& needs) const {
  await(start_, place);
  for (const auto s : needs) await(ended_[s], place);
}

void PlacedOrder::end(std::size_t place, std::size_t segment) { set(ended_[segment], place); }

void PlacedOrder::finish() const {
  for (const auto& mark : ended_) await(mark, 0);
}

}  // namespace tandem::distribute
