#pragma once
#include <ATen/core/Tensor.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tandem/comm/local_seat.h"

namespace tandem::comm {

/// Messages to one rank. One that the receiver already waits for is copied straight into its tensor; another is kept in
/// a buffer until the receiver comes, so that two ranks may send to each other before either receives. Buffers are used
/// again.
class LocalMailbox {
 public:
  /// Messages from one rank that are kept at most, and their bytes; a larger message is kept only alone.
  static constexpr int64_t kMessages = 64, kBytes = 256 << 20;

  /// Sender: delivers, or keeps, and returns true; false when too much is kept. The receiver's bell is to be rung
  /// after.
  bool put(LocalSeat& sender, int64_t from, int64_t tag, const at::Tensor& tensor);
  /// Receiver: gets ready for a message, as long as this lives.
  class Opening {
   public:
    Opening(LocalMailbox& mailbox, int64_t from, int64_t tag, const at::Tensor& tensor) : mailbox_(mailbox) {
      mailbox.open(from, tag, tensor);
    }
    ~Opening() { mailbox_.close(); }
    Opening(const Opening&) = delete;
    Opening& operator=(const Opening&) = delete;

   private:
    LocalMailbox& mailbox_;
  };
  /// True when the tensor is filled, or when a message came that does not fit: mismatch() tells. The sender's bell is
  /// to be rung after, since it may wait for room.
  bool take();
  const std::string& mismatch() const { return mismatch_; }

  void reset();

 private:
  struct Message {
    int64_t from = 0, tag = 0, bytes = 0;
    at::ScalarType type = at::kFloat;
    std::vector<int64_t> sizes, strides;
    std::unique_ptr<std::byte[]> memory;
    int64_t capacity = 0;
  };
  enum class Wanted : uint8_t { nothing, open, filling, filled };

  void open(int64_t from, int64_t tag, const at::Tensor& tensor);
  void close();
  std::vector<Message>::iterator find_kept(int64_t from, int64_t tag);
  bool may_keep(int64_t from, int64_t bytes) const;
  bool fill(LocalSeat& sender, const at::Tensor& tensor);
  // A message with room for `bytes`.
  Message unused(int64_t bytes);

  std::mutex mutex_;  // guards all below but mismatch_
  std::vector<Message> kept_;
  std::vector<Message> unused_;
  Wanted wanted_ = Wanted::nothing;
  int64_t from_ = 0, tag_ = 0;
  at::Tensor tensor_;     // the receiver's
  std::string mismatch_;  // the receiver's
  std::atomic<uint64_t> changes_{0};
  uint64_t seen_ = 0;  // the receiver's: changes at its last look
};

}  // namespace tandem::comm
