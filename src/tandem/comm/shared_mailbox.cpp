#include "tandem/comm/shared_mailbox.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <cstring>

#include "tandem/comm/brought.h"

namespace tandem::comm {
namespace {

// Copies to or from the pipe's ring of bytes, at its place `at`.
void write_ring(SharedPipe& pipe, uint64_t at, const std::byte* from, std::size_t bytes) {
  const std::size_t place = at % SharedPipe::kBytes, first = std::min(bytes, SharedPipe::kBytes - place);
  std::memcpy(pipe.bytes + place, from, first);
  std::memcpy(pipe.bytes, from + first, bytes - first);
}
void read_ring(const SharedPipe& pipe, uint64_t at, std::byte* to, std::size_t bytes) {
  const std::size_t place = at % SharedPipe::kBytes, first = std::min(bytes, SharedPipe::kBytes - place);
  std::memcpy(to, pipe.bytes + place, first);
  std::memcpy(to + first, pipe.bytes, bytes - first);
}

}  // namespace

SharedMailbox::SharedMailbox(SharedRoom& room, int64_t rank)
    : room_(room), rank_(rank), senders_(static_cast<std::size_t>(room.ranks())) {}

SharedMailbox::Header SharedMailbox::header_of(int64_t tag, const Tensor& tensor) {
  const Brought brought{.data = tensor};
  Header header{tag, static_cast<int64_t>(tensor.nbytes()), signature_of(brought), {}};
  const auto text = describe(brought);
  std::memcpy(header.described, text.data(), std::min(text.size(), sizeof(header.described) - 1));
  return header;
}

void SharedMailbox::begin_send(int64_t to, int64_t tag, const Tensor& tensor) {
  to_ = to;
  sent_ = -1;  // the header is not on its way
  sending_ = header_of(tag, tensor);
  source_ = static_cast<const std::byte*>(tensor.const_data_ptr());
}

bool SharedMailbox::push() {
  auto& pipe = room_.pipe(rank_, to_);
  const uint64_t begin = pipe.written.load();
  uint64_t at = begin, room = SharedPipe::kBytes - (begin - pipe.read.load());
  if (sent_ < 0 && room >= sizeof(Header)) {
    write_ring(pipe, at, reinterpret_cast<const std::byte*>(&sending_), sizeof(Header));
    at += sizeof(Header);
    room -= sizeof(Header);
    sent_ = 0;
  }
  if (sent_ >= 0) {
    const auto bytes = std::min(room, static_cast<uint64_t>(sending_.bytes - sent_));
    if (bytes > 0) write_ring(pipe, at, source_ + sent_, bytes);
    at += bytes;
    sent_ += static_cast<int64_t>(bytes);
  }
  if (at != begin) {
    pipe.written.store(at);
    room_.ring(to_);
  }
  return sent_ == sending_.bytes;
}

void SharedMailbox::begin_recv(int64_t from, int64_t tag, const Tensor& tensor) {
  mismatch_.clear();
  filled_ = false;
  tensor_ = tensor;
  from_ = from;
  tag_ = tag;
  auto& kept = sender(from).kept;
  const auto found =
      std::find_if(kept.begin(), kept.end(), [&](const Message& message) { return message.header.tag == tag; });
  if (found == kept.end()) return;
  fill_from(*found);
  sender(from).kept_bytes -= found->header.bytes;
  kept.erase(found);
}

bool SharedMailbox::take() {
  if (from_ >= 0) drain(from_);
  if (!filled_) return false;
  tensor_ = Tensor();
  from_ = -1;
  return true;
}

void SharedMailbox::progress() {
  for (int64_t from = 0; from < room_.ranks(); ++from) {
    if (from != rank_) drain(from);
  }
}

void SharedMailbox::drain(int64_t from) {
  auto& pipe = room_.pipe(from, rank_);
  auto& own = sender(from);
  bool moved = false;
  while (own.coming || begin_message(from, pipe)) {
    moved = true;
    auto& message = *own.coming;
    const uint64_t at = pipe.read.load(), there = pipe.written.load() - at;
    const auto bytes = std::min(there, static_cast<uint64_t>(message.header.bytes - own.come));
    auto* to = message.memory ? message.memory.get() : static_cast<std::byte*>(tensor_.mutable_data_ptr());
    if (bytes > 0) read_ring(pipe, at, to + own.come, bytes);
    own.come += static_cast<int64_t>(bytes);
    pipe.read.store(at + bytes);
    if (own.come < message.header.bytes) {
      moved = bytes > 0;
      break;
    }
    end_message(from);
  }
  if (moved) room_.ring(from);
}

bool SharedMailbox::begin_message(int64_t from, SharedPipe& pipe) {
  auto& own = sender(from);
  const uint64_t at = pipe.read.load();
  if (pipe.written.load() - at < sizeof(Header)) return false;
  auto message = std::make_unique<Message>();
  read_ring(pipe, at, reinterpret_cast<std::byte*>(&message->header), sizeof(Header));
  const auto& header = message->header;
  const bool asked = from == from_ && header.tag == tag_ && !filled_;
  if (!asked && !own.kept.empty() &&
      (static_cast<int64_t>(own.kept.size()) >= kMessages || own.kept_bytes + header.bytes > kBytes))
    return false;
  if (!asked || header.signature != signature_of({.data = tensor_}))
    message->memory.reset(new std::byte[static_cast<std::size_t>(header.bytes)]);  // not initialised
  pipe.read.store(at + sizeof(Header));
  own.coming = std::move(message);
  own.come = 0;
  return true;
}

void SharedMailbox::end_message(int64_t from) {
  auto& own = sender(from);
  const auto message = std::move(own.coming);
  if (!message->memory) {
    filled_ = true;
  } else if (from == from_ && message->header.tag == tag_ && !filled_) {
    fill_from(*message);
  } else {
    own.kept_bytes += message->header.bytes;
    own.kept.push_back(std::move(*message));
  }
}

void SharedMailbox::fill_from(const Message& message) {
  filled_ = true;
  const auto wanted = header_of(tag_, tensor_);
  if (message.header.signature != wanted.signature) {
    mismatch_ = c10::str("rank ", from_, " sent ", message.header.described, ", but must fill ", wanted.described);
  } else if (message.header.bytes > 0) {
    std::memcpy(tensor_.mutable_data_ptr(), message.memory.get(), static_cast<std::size_t>(message.header.bytes));
  }
}

}  // namespace tandem::comm
