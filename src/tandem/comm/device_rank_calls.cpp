// What a DeviceRank is asked for, and the work that its calls put on its stream.
#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/comm/device_rank.h"
#include "tandem/comm/slices.h"
#include "tandem/comm/sum_tree.h"
#include "tandem/core/error.h"

namespace tandem::comm {
namespace {

// The elements of a dense tensor in the order in which they lie.
Tensor in_a_row(const Tensor& tensor) { return tensor.as_strided({tensor.numel()}, {1}, tensor.storage_offset()); }

void check_whole(const char* call, const Tensor& whole, const Tensor& part, int64_t parts) {
  if (whole.numel() == parts * part.numel() && whole.scalar_type() == part.scalar_type()) return;
  throw InvalidArgument(c10::str(call, ": the whole must have ", parts,
                                 " times the elements of a part and its type, got ", whole.scalar_type(), " ",
                                 whole.sizes(), " and ", part.scalar_type(), " ", part.sizes()));
}

}  // namespace

void DeviceRank::check(const char* call, const Tensor& tensor) const {
  if (tensor.device() == device_ && tensor.is_non_overlapping_and_dense()) return;
  throw InvalidArgument(c10::str(call, ": must get a dense tensor on ", device_, ", got strides ", tensor.strides(),
                                 " on ", tensor.device()));
}

void DeviceRank::check_peer(const char* call, const char* name, int64_t peer) const {
  if (peer >= 0 && peer < world_size()) return;
  throw InvalidArgument(c10::str(call, ": ", name, " must be in [0, ", world_size(), "), got ", peer));
}

void DeviceRank::all_reduce(Tensor& tensor, const ReduceOptions& options) {
  if (tensor.is_cpu()) return host_.all_reduce(tensor, options);
  all_reduce_async(tensor, options).wait();
}

Pending DeviceRank::all_reduce_async(Tensor& tensor, const ReduceOptions& options) {
  if (tensor.is_cpu()) return host_.all_reduce_async(tensor, options);
  check("all_reduce", tensor);
  check_adds_up(tensor.scalar_type(), "all_reduce");
  return {*this, start(DeviceMove::all_reduce, tensor, tensor, 0, options).ticket};
}

void DeviceRank::reduce_scatter(const Tensor& whole, Tensor& part) {
  if (whole.is_cpu() && part.is_cpu()) return host_.reduce_scatter(whole, part);
  check("reduce_scatter", whole);
  check("reduce_scatter", part);
  check_adds_up(whole.scalar_type(), "reduce_scatter");
  check_whole("reduce_scatter", whole, part, world_size());
  run(DeviceMove::reduce_scatter, whole, part);
  bytes_sent_ += (world_size() - 1) * static_cast<int64_t>(part.nbytes());
}

void DeviceRank::all_gather(const Tensor& part, Tensor& whole) {
  if (whole.is_cpu() && part.is_cpu()) return host_.all_gather(part, whole);
  check("all_gather", part);
  check("all_gather", whole);
  check_whole("all_gather", whole, part, world_size());
  run(DeviceMove::all_gather, part, whole);
  bytes_sent_ += (world_size() - 1) * static_cast<int64_t>(part.nbytes());
}

void DeviceRank::broadcast(Tensor& tensor, int64_t root) {
  if (tensor.is_cpu()) return host_.broadcast(tensor, root);
  check("broadcast", tensor);
  check_peer("broadcast", "root", root);
  run(DeviceMove::broadcast, tensor, tensor, root);
  if (rank_ == root) bytes_sent_ += (world_size() - 1) * static_cast<int64_t>(tensor.nbytes());
}

void DeviceRank::barrier() { host_.barrier(); }

void DeviceRank::send(const Tensor& tensor, int64_t to, int64_t tag) {
  if (tensor.is_cpu()) return host_.send(tensor, to, tag);
  check("send", tensor);
  check_peer("send", "to", to);
  const auto letter = std::make_shared<DeviceMeetings::Letter>(device_.type());
  letter->tensor = tensor;
  letter->ready.record(current_stream());
  const DeviceMeetings::Address address{rank_, to, tag};
  meetings_->post(address, letter);
  meetings_->wait_taken(*letter, address);
  letter->taken.block(current_stream());
  bytes_sent_ += static_cast<int64_t>(tensor.nbytes());
}

void DeviceRank::recv(Tensor& tensor, int64_t from, int64_t tag) {
  if (tensor.is_cpu()) return host_.recv(tensor, from, tag);
  check("recv", tensor);
  check_peer("recv", "from", from);
  const auto letter = meetings_->take({from, rank_, tag});
  const bool fits = letter->tensor.sizes() == tensor.sizes() && letter->tensor.scalar_type() == tensor.scalar_type();
  if (fits) {
    const c10::NoGradGuard no_grad;
    letter->ready.block(current_stream());
    tensor.copy_(letter->tensor, /*non_blocking=*/true);
    letter->taken.record(current_stream());
  }
  meetings_->finish(*letter);
  if (fits) return;
  throw InvalidArgument(c10::str("recv: rank ", from, " sent ", letter->tensor.scalar_type(), " ",
                                 letter->tensor.sizes(), ", rank ", rank_, " must get ", tensor.scalar_type(), " ",
                                 tensor.sizes()));
}

std::unique_ptr<Communicator> DeviceRank::subgroup(const std::vector<int64_t>& ranks) {
  const auto own = std::find(ranks.begin(), ranks.end(), rank_);
  for (const int64_t r : ranks) check_peer("subgroup", "each rank", r);
  if (own == ranks.end())
    throw InvalidArgument(c10::str("subgroup: must hold the calling rank ", rank_, ", got ", ranks));
  return std::make_unique<DeviceRank>(meetings_->subgroup(ranks), own - ranks.begin(), host_.subgroup(ranks));
}

void DeviceRank::move(const Operation& operation, const DevicePart& own, int64_t phase) {
  const c10::NoGradGuard no_grad;
  const StreamScope scope(stream_);
  const auto& parts = operation.meeting->parts;
  for (const auto& part : parts) part.events[static_cast<std::size_t>(phase)].block(*stream_.stream());
  Tensor target = own.target;
  if (auto* backend = meetings_->backend(rank_)) {
    if (own.move == DeviceMove::all_reduce) {
      backend->all_reduce(target);
      // A ring's.
      bytes_sent_ += 2 * (world_size() - 1) * static_cast<int64_t>(target.nbytes()) / world_size();
    }
    if (own.move == DeviceMove::reduce_scatter) backend->reduce_scatter(own.brought, target);
    if (own.move == DeviceMove::all_gather) backend->all_gather(own.brought, target);
    if (own.move == DeviceMove::broadcast) backend->broadcast(target, own.root);
  } else if (own.move == DeviceMove::all_reduce) {
    const Tensor flat = in_a_row(target);
    const auto slice_of = [&](int64_t r) { return slice(target.numel(), world_size(), r); };
    if (phase == 0) {
      const Span mine = slice_of(rank_);
      add_up(parts, flat.slice(0, mine.begin, mine.end), mine.begin);
      // The others read this rank's addends of their slices once, and this rank's sums once each.
      bytes_sent_ += (target.numel() - mine.size() + (world_size() - 1) * mine.size()) * target.element_size();
    }
    for (int64_t r = 0; phase == 1 && operation.wants_result && r < world_size(); ++r) {
      if (r == rank_) continue;
      const auto [begin, end] = slice_of(r);
      flat.slice(0, begin, end).copy_(in_a_row(parts[static_cast<std::size_t>(r)].brought).slice(0, begin, end), true);
    }
  } else if (own.move == DeviceMove::reduce_scatter) {
    const int64_t begin = rank_ * target.numel();
    const Tensor mine = in_a_row(own.brought).slice(0, begin, begin + target.numel());
    if (mine.const_data_ptr() != target.const_data_ptr()) in_a_row(target).copy_(mine);
    add_up(parts, in_a_row(target), begin);
  } else if (own.move == DeviceMove::all_gather) {
    const int64_t count = own.brought.numel();
    for (int64_t r = 0; r < world_size(); ++r) {
      const Tensor place = in_a_row(target).slice(0, r * count, (r + 1) * count);
      const Tensor& part = parts[static_cast<std::size_t>(r)].brought;
      if (place.const_data_ptr() != part.const_data_ptr()) place.copy_(in_a_row(part), true);
    }
  } else if (own.move == DeviceMove::broadcast && rank_ != own.root) {
    target.copy_(parts[static_cast<std::size_t>(own.root)].brought, true);
  }
  operation.meeting->parts[static_cast<std::size_t>(rank_)].events[static_cast<std::size_t>(phase) + 1].record(
      *stream_.stream());
}

// Adds the other ranks' elements from `begin` on to `sum`, in the order of ranks.
void DeviceRank::add_up(const std::vector<DevicePart>& parts, Tensor sum, int64_t begin) {
  for (int64_t r = 0; r < world_size(); ++r) {
    if (r == rank_) continue;
    const Tensor addend = in_a_row(parts[static_cast<std::size_t>(r)].brought).slice(0, begin, begin + sum.numel());
    sum.add_(addend.to(device_, /*non_blocking=*/true));
  }
}

}  // namespace tandem::comm
