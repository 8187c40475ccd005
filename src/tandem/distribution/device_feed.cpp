#include "tandem/distribution/device_feed.h"

#include <ATen/ATen.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"

namespace tandem::distribute {
namespace {

bool fits(const Tensor& buffer, const Tensor& tensor) {
  return buffer.defined() && buffer.scalar_type() == tensor.scalar_type() && buffer.dim() == tensor.dim() &&
         buffer.dim() > 0 && buffer.size(0) >= tensor.size(0) && buffer.sizes().slice(1) == tensor.sizes().slice(1);
}

std::vector<Tensor> tensors_of(const data::Batch& batch) {
  std::vector<Tensor> all(batch.x.begin(), batch.x.end());
  all.insert(all.end(), batch.y.begin(), batch.y.end());
  for (const auto& one : batch.weights) {
    if (one.defined()) all.push_back(one);
  }
  return all;
}

}  // namespace

DeviceFeed::DeviceFeed(c10::Device device) : stream_(device), places_{Place(device.type()), Place(device.type())} {
  if (device.is_cpu()) throw InternalError("DeviceFeed: must carry batches to a GPU, got cpu");
}

DeviceFeed::~DeviceFeed() {
  // Buffers must not be given back while a copy writes to them.
  stream_.synchronize();
}

c10::Stream DeviceFeed::current_stream() const {
  return c10::impl::VirtualGuardImpl(stream_.device().type()).getStream(stream_.device());
}

bool DeviceFeed::make_room(Buffer& buffer, const Tensor& tensor) {
  if (fits(buffer.on_card, tensor)) return false;
  buffer.on_card = at::empty(tensor.sizes(), tensor.options().device(stream_.device()));
  buffer.host = at::empty(tensor.sizes(), tensor.options().pinned_memory(true));
  return true;
}

void DeviceFeed::begin(const data::Batch& batch) {
  if (waiting() == kPlaces) throw InternalError("DeviceFeed: two batches were begun and not taken");
  Place& here = place(begun_);
  here.copied.synchronize();  // of two batches before: its page-locked memory is read no more
  const auto tensors = tensors_of(batch);
  here.buffers.resize(tensors.size());
  bool made = false;
  for (std::size_t i = 0; i < tensors.size(); ++i) made |= make_room(here.buffers[i], tensors[i]);
  // Memory that this thread's stream had until now must not be written before that stream is done with it.
  if (made) here.used.record(current_stream());

  here.batch = batch;
  here.used.block(*stream_.stream());
  const StreamScope scope(stream_);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    auto& buffer = here.buffers[i];
    const int64_t rows = tensors[i].size(0);
    Tensor host = tensors[i];
    if (!host.is_pinned()) host = buffer.host.narrow(0, 0, rows).copy_(host);
    buffer.batch = buffer.on_card.narrow(0, 0, rows);
    buffer.batch.copy_(host, /*non_blocking=*/true);
  }
  here.copied.record(*stream_.stream());
  ++begun_;
}

data::Batch DeviceFeed::take() {
  if (waiting() == 0) throw InternalError("DeviceFeed: a batch must be begun before it is taken");
  const auto stream = current_stream();
  // Of the batch that was taken before: all that is computed of it is on the stream by now.
  if (taken_ > 0) place(taken_ - 1).used.record(stream);
  Place& here = place(taken_++);
  here.copied.block(stream);
  data::Batch batch = here.batch;
  std::size_t next = 0;
  for (auto& x : batch.x) x = here.buffers[next++].batch;
  for (auto& y : batch.y) y = here.buffers[next++].batch;
  for (auto& one : batch.weights) {
    if (one.defined()) one = here.buffers[next++].batch;
  }
  return batch;
}

}  // namespace tandem::distribute
