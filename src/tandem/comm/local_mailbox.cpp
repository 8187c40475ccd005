#include "tandem/comm/local_mailbox.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <cstring>

namespace tandem::comm {
namespace {

constexpr uint64_t kNeverSeen = ~uint64_t{0};

bool same_form(const at::Tensor& tensor, at::ScalarType type, at::IntArrayRef sizes, at::IntArrayRef strides) {
  return tensor.scalar_type() == type && tensor.sizes() == sizes && tensor.strides() == strides;
}

void copy_message(void* to, const void* from, int64_t bytes) {
  if (bytes > 0) std::memcpy(to, from, static_cast<std::size_t>(bytes));
}

}  // namespace

bool LocalMailbox::put(LocalSeat& sender, int64_t from, int64_t tag, const at::Tensor& tensor) {
  const auto bytes = static_cast<int64_t>(tensor.nbytes());
  Message message;
  {
    std::unique_lock lock(mutex_);
    if (wanted_ == Wanted::open && from_ == from && tag_ == tag && find_kept(from, tag) == kept_.end() &&
        same_form(tensor_, tensor.scalar_type(), tensor.sizes(), tensor.strides())) {
      wanted_ = Wanted::filling;
      lock.unlock();
      return fill(sender, tensor);
    }
    if (!may_keep(from, bytes)) return false;
    message = unused(bytes);
  }
  message.from = from;
  message.tag = tag;
  message.bytes = bytes;
  message.type = tensor.scalar_type();
  message.sizes.assign(tensor.sizes().begin(), tensor.sizes().end());
  message.strides.assign(tensor.strides().begin(), tensor.strides().end());
  copy_message(message.memory.get(), tensor.const_data_ptr(), bytes);
  std::lock_guard lock(mutex_);
  kept_.push_back(std::move(message));
  changes_.fetch_add(1);
  return true;
}

// The receiver does not touch its tensor or leave while this fills it.
bool LocalMailbox::fill(LocalSeat& sender, const at::Tensor& tensor) {
  const LocalWork work(sender);
  if (work.allowed())
    copy_message(tensor_.mutable_data_ptr(), tensor.const_data_ptr(), static_cast<int64_t>(tensor.nbytes()));
  std::lock_guard lock(mutex_);
  wanted_ = work.allowed() ? Wanted::filled : Wanted::open;
  changes_.fetch_add(1);
  return work.allowed();
}

void LocalMailbox::open(int64_t from, int64_t tag, const at::Tensor& tensor) {
  std::lock_guard lock(mutex_);
  wanted_ = Wanted::open;
  from_ = from;
  tag_ = tag;
  tensor_ = tensor;
  mismatch_.clear();
  seen_ = kNeverSeen;
}

bool LocalMailbox::take() {
  const uint64_t changes = changes_.load();
  if (changes == seen_) return false;
  seen_ = changes;
  std::unique_lock lock(mutex_);
  if (wanted_ == Wanted::filled) return true;
  if (wanted_ == Wanted::filling) return false;
  const auto found = find_kept(from_, tag_);
  if (found == kept_.end()) return false;
  Message message = std::move(*found);
  kept_.erase(found);
  wanted_ = Wanted::nothing;  // no sender fills the tensor meanwhile
  lock.unlock();
  if (same_form(tensor_, message.type, message.sizes, message.strides)) {
    copy_message(tensor_.mutable_data_ptr(), message.memory.get(), message.bytes);
  } else {
    mismatch_ = c10::str("rank ", message.from, " sent ", message.type, " of sizes ", at::IntArrayRef(message.sizes),
                         " and strides ", at::IntArrayRef(message.strides), ", but must fill ", tensor_.scalar_type(),
                         " of sizes ", tensor_.sizes(), " and strides ", tensor_.strides());
  }
  lock.lock();
  unused_.push_back(std::move(message));
  return true;
}

void LocalMailbox::close() {
  std::lock_guard lock(mutex_);
  wanted_ = Wanted::nothing;
  tensor_.reset();
}

void LocalMailbox::reset() {
  std::lock_guard lock(mutex_);
  for (auto& message : kept_) unused_.push_back(std::move(message));
  kept_.clear();
  wanted_ = Wanted::nothing;
  tensor_.reset();
}

std::vector<LocalMailbox::Message>::iterator LocalMailbox::find_kept(int64_t from, int64_t tag) {
  return std::find_if(kept_.begin(), kept_.end(),
                      [&](const Message& message) { return message.from == from && message.tag == tag; });
}

bool LocalMailbox::may_keep(int64_t from, int64_t bytes) const {
  int64_t messages = 0, total = bytes;
  for (const auto& message : kept_) {
    if (message.from != from) continue;
    ++messages;
    total += message.bytes;
  }
  return messages == 0 || (messages < kMessages && total <= kBytes);
}

LocalMailbox::Message LocalMailbox::unused(int64_t bytes) {
  // The smallest that is large enough, else the largest, which grows.
  auto best = unused_.end();
  for (auto m = unused_.begin(); m != unused_.end(); ++m) {
    if (best == unused_.end() || (m->capacity >= bytes ? best->capacity < bytes || m->capacity < best->capacity
                                                       : best->capacity < bytes && m->capacity > best->capacity))
      best = m;
  }
  Message message;
  if (best != unused_.end()) {
    message = std::move(*best);
    unused_.erase(best);
  }
  if (message.capacity < bytes) {
    message.memory.reset(new std::byte[static_cast<std::size_t>(bytes)]);  // not initialised
    message.capacity = bytes;
  }
  return message;
}

}  // namespace tandem::comm
