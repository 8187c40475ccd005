#pragma once
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "tandem/comm/shared_room.h"
#include "tandem/core/tensor.h"

namespace tandem::comm {

/// One rank's messages to and from the others of its room. They travel through pipes as bytes; one that comes before it
/// is asked for is kept, up to kMessages and kBytes from each rank, so that two ranks may send to each other before
/// either receives.
class SharedMailbox {
 public:
  static constexpr int64_t kMessages = 64, kBytes = 256 << 20;

  SharedMailbox(SharedRoom& room, int64_t rank);

  /// Starts to send; `push` then moves it on and is true when all of it is on its way.
  void begin_send(int64_t to, int64_t tag, const Tensor& tensor);
  bool push();
  /// Asks for a message; `take` is true when the tensor is filled, or when the message does not fit: mismatch() tells.
  void begin_recv(int64_t from, int64_t tag, const Tensor& tensor);
  bool take();
  const std::string& mismatch() const { return mismatch_; }
  /// Takes what has come.
  void progress();

 private:
  struct Header {
    int64_t tag, bytes;
    uint64_t signature;
    char described[232];
  };
  struct Message {
    Header header;
    std::unique_ptr<std::byte[]> memory;  // null: it goes into the tensor that is asked for
  };
  struct Sender {  // as this rank sees it
    std::list<Message> kept;
    int64_t kept_bytes = 0;
    std::unique_ptr<Message> coming;
    int64_t come = 0;  // bytes of it
  };

  static Header header_of(int64_t tag, const Tensor& tensor);
  Sender& sender(int64_t from) { return senders_[static_cast<std::size_t>(from)]; }
  void drain(int64_t from);
  bool begin_message(int64_t from, SharedPipe& pipe);
  void end_message(int64_t from);
  void fill_from(const Message& message);

  SharedRoom& room_;
  const int64_t rank_;
  std::vector<Sender> senders_;
  // The message that is being sent.
  int64_t to_ = 0, sent_ = 0;
  Header sending_{};
  const std::byte* source_ = nullptr;
  // The one that is asked for.
  int64_t from_ = -1, tag_ = 0;
  Tensor tensor_;
  bool filled_ = false;
  std::string mismatch_;
};

}  // namespace tandem::comm
