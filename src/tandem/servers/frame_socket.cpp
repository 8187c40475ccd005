#include "tandem/servers/frame_socket.h"

#include <mutex>
#include <zmq.hpp>

#ifdef __SANITIZE_THREAD__
extern "C" void __tsan_release(void*);
extern "C" void __tsan_acquire(void*);
#endif

namespace tandem::servers {
namespace {

// ThreadSanitizer does not see how libzmq, which was not built for it, brings memory from one thread to another: what
// was written before it is given comes before what is done with it after it is taken.
void given([[maybe_unused]] void* memory) {
#ifdef __SANITIZE_THREAD__
  __tsan_release(memory);
#endif
}
void taken([[maybe_unused]] void* memory) {
#ifdef __SANITIZE_THREAD__
  __tsan_acquire(memory);
#endif
}

constexpr std::size_t kCopied = 1024;  // bytes up to which a copy is cheaper than to share

zmq::message_t message_of(const Frame& frame) {
  if (frame.size() <= kCopied) {
    zmq::message_t message(frame.data(), frame.size());
    given(message.data());
    return message;
  }
  auto* held = new Frame(frame);
  given(held);
  given(const_cast<void*>(frame.data()));
  const auto let_go = [](void*, void* what) {
    taken(what);
    delete static_cast<Frame*>(what);
  };
  return {const_cast<void*>(frame.data()), frame.size(), let_go, held};
}

}  // namespace

bool send_frames(zmq::socket_t& socket, const std::vector<Frame>& frames) {
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const auto more = i + 1 < frames.size() ? zmq::send_flags::sndmore : zmq::send_flags::none;
    try {
      if (!socket.send(message_of(frames[i]), more | zmq::send_flags::dontwait)) return false;
    } catch (const zmq::error_t&) {
      return false;
    }
  }
  return true;
}

std::vector<Frame> receive_frames(zmq::socket_t& socket, int* connection) {
  std::vector<Frame> frames;
  bool more = true;
  while (more) {
    auto message = std::make_shared<zmq::message_t>();
    if (!socket.recv(*message, zmq::recv_flags::dontwait)) break;
    taken(message->data());
    more = message->more();
    if (connection && frames.size() == 1) *connection = zmq_msg_get(message->handle(), ZMQ_SRCFD);
    frames.emplace_back(message->data(), message->size(), message);
  }
  return frames;
}

bool is_within_process(const std::string& address) { return address.starts_with(kWithinProcess); }

std::shared_ptr<zmq::context_t> context_for(const std::string& address) {
  if (!is_within_process(address)) return std::make_shared<zmq::context_t>();
  static std::mutex mutex;
  static std::weak_ptr<zmq::context_t> shared;
  const std::lock_guard lock(mutex);
  auto context = shared.lock();
  if (!context) shared = context = std::make_shared<zmq::context_t>();
  return context;
}

}  // namespace tandem::servers
