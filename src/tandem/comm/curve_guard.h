#pragma once
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "tandem/comm/job_key.h"

namespace zmq {
class context_t;
class socket_t;
}  // namespace zmq

namespace tandem::comm {

/// Lets in only those that have the job's key: answers ZeroMQ's questions who may come in (ZAP) for the sockets of one
/// context. To be used by the thread that polls those sockets.
class CurveGuard {
 public:
  /// One to a context, before a socket of it is locked.
  explicit CurveGuard(zmq::context_t& context);
  ~CurveGuard();
  CurveGuard(const CurveGuard&) = delete;
  CurveGuard& operator=(const CurveGuard&) = delete;

  /// Encrypts what comes through `doors` and lets in only who has `key`. To be called before it is bound.
  void lock(zmq::socket_t& doors, const JobKey& key);
  /// Becomes readable when there is a question.
  zmq::socket_t& questions() { return *questions_; }
  void answer();

 private:
  std::unique_ptr<zmq::socket_t> questions_;
  std::array<unsigned char, 32> allowed_{};
};

/// The other side: `socket` connects to doors that are locked by `key`.
void unlock(zmq::socket_t& socket, const JobKey& key);

/// All parts of the next message.
std::vector<std::string> receive_texts(zmq::socket_t& socket);
/// A peer that has gone, or whose queue is full, gets nothing.
void send_texts(zmq::socket_t& socket, const std::vector<std::string>& parts);

}  // namespace tandem::comm
