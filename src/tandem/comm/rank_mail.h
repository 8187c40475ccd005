#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "tandem/core/tensor.h"

namespace tandem::comm {

/// Messages between processes that do not share memory, over sockets of ZeroMQ: each has doors that the others connect
/// to when they have something for it. Encrypted by CurveZMQ, with a key that these ranks agree on in their store; who
/// does not have it is not let in. A message is kept for a receiver that has not come yet. Used by one thread at a
/// time.
class RankMail {
 public:
  /// `store`: of these ranks alone; `host`: the address by which they reach this one. Throws InvalidArgument where
  /// ZeroMQ has no CURVE, or is not built in.
  RankMail(c10::intrusive_ptr<c10d::Store> store, int64_t rank, const std::string& host);
  /// Gives what was sent last a second to go out.
  ~RankMail();
  RankMail(const RankMail&) = delete;
  RankMail& operator=(const RankMail&) = delete;

  /// `tensor` dense; returns when it may be changed again.
  void send(const Tensor& tensor, int64_t to, int64_t tag);
  /// Fills `tensor` with the next message from rank `from` with that tag. `waiting` is called some times a second while
  /// none has come, with true once the connection with that rank was closed; what it throws ends the call. `idle`,
  /// where there is one, is called each few milliseconds. Throws InvalidArgument on a message of another type or size.
  void recv(Tensor& tensor, int64_t from, int64_t tag, const std::function<void(bool gone)>& waiting,
            const std::function<void()>& idle);

 private:
  struct Sockets;
  std::unique_ptr<Sockets> sockets_;
};

}  // namespace tandem::comm
