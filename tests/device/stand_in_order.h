#pragma once
#include <ATen/core/Tensor.h>
#include <c10/core/Stream.h>

#include <functional>

namespace tandem::testing {

/// Watches the order that streams and events give to the stand-in's work, as a GPU would keep it: its work is done at
/// once, so a missing wait would not show in the numbers. Work on one stream is in order; an event that was recorded on
/// one and waited for on another orders what came before against what comes after; what the host has waited for comes
/// before all that is given later. Two uses of the same bytes, one of them a change, that are ordered by none of these
/// are a race, and throw an error that names both streams. (Vector clocks, Mattern 1989.)
void note_use(const at::Tensor& tensor, bool changes, const char* operation);

void note_record(void* event, const c10::Stream& stream);
void note_wait(void* event, const c10::Stream& stream);
/// The host has waited for all that is on the stream, or before the event.
void note_host_waited(const c10::Stream& stream);
/// How often it has waited for a stream.
int64_t stream_waits();
void note_host_waited(void* event);
/// The host has waited for all streams of a device.
void note_host_waited(c10::DeviceIndex device);
/// Does `act`, what the stream was last told, when the host has waited for it: until then nobody may count on it.
void when_host_waited(const c10::Stream& stream, std::function<void()> act);
/// The bytes are given back: whoever has them next is ordered by the allocator.
void note_freed(const void* begin, std::size_t bytes);

}  // namespace tandem::testing
