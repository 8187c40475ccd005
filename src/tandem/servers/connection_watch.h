#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace zmq {
class context_t;
class socket_t;
}  // namespace zmq

namespace tandem::servers {

/// Tells whose connections to a socket have been closed and not made anew: a process that dies is seen by that long
/// before its silence. Knows connections by their file descriptors, which ZeroMQ gives with each message.
class ConnectionWatch {
 public:
  /// To be made before the socket is bound, and used by the thread that polls it.
  ConnectionWatch(zmq::context_t& context, zmq::socket_t& doors);
  ~ConnectionWatch();
  ConnectionWatch(const ConnectionWatch&) = delete;
  ConnectionWatch& operator=(const ConnectionWatch&) = delete;

  /// A message has come of this peer, by this connection; -1: it is not known.
  void heard(const std::string& who, int connection) { connections_[who] = connection; }
  /// Those whose connection is closed now.
  std::vector<std::string> away(double now);
  /// Those that have been away for longer than `seconds`; each is told once.
  std::vector<std::string> gone(double now, double seconds);

 private:
  void read_events(double now);

  zmq::socket_t& doors_;
  std::unique_ptr<zmq::socket_t> events_;
  std::map<std::string, int> connections_;  // by peer
  std::map<int, double> closed_;            // connections, since when
};

}  // namespace tandem::servers
