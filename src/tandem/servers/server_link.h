#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tandem/comm/job_key.h"
#include "tandem/servers/frame.h"
#include "tandem/servers/server_message.h"

namespace zmq {
class socket_t;
}  // namespace zmq

namespace tandem::servers {

/// A worker's connection to one server: knows whether the server is there. To be used by one thread at a time.
class ServerLink {
 public:
  struct Message {
    Header header;
    std::vector<Frame> payload;
  };

  /// `name`: "server 1 of 2 (host:port)". Throws InvalidArgument on an address that is none, and on one beyond loopback
  /// without a key.
  ServerLink(std::string name, const std::string& address, const std::string& own_name,
             const std::optional<comm::JobKey>& key, double silence_seconds);
  /// Gives what was sent last half a second to go out.
  ~ServerLink();
  ServerLink(const ServerLink&) = delete;
  ServerLink& operator=(const ServerLink&) = delete;

  const std::string& name() const { return name_; }
  zmq::socket_t& socket();
  /// Without waiting, and without copying long frames. False: nobody takes it any more.
  [[nodiscard]] bool send(const Header& header, std::vector<Frame> payload = {});
  /// The next message that has come, if any. Pongs are kept here.
  std::optional<Message> receive();
  /// Asks for a sign of life, once a second.
  void ping(int64_t worker, double now);
  /// Throws PeerError when the server has been silent or away for too long, or refuses us; to be called when all that
  /// has come was received.
  void check(double now);
  /// True once after each time that the connection was made anew: what was sent before may be lost.
  bool has_come_back();
  bool connected() const { return connected_; }
  /// Why nothing could be sent.
  std::string why_unsent(double now);
  /// Whom the server waited for when it last said so.
  const std::string& waits_for() const { return waits_for_; }
  /// It has said that it was stopped, and that workers should end.
  bool stops() const { return stops_; }

 private:
  void read_events(double now);

  struct Sockets;
  std::string name_;
  double silence_seconds_;
  std::unique_ptr<Sockets> sockets_;
  bool connected_ = false, came_back_ = false;
  double last_ping_ = 0;
  std::optional<double> heard_;       // when something came last
  std::optional<double> unanswered_;  // since when nothing has been heard, where a ping has been sent since
  std::optional<double> away_;        // since when the connection is closed
  std::optional<double> refused_;     // since when it is made, and closed before a word is said
  std::string waits_for_;
  bool stops_ = false;
};

}  // namespace tandem::servers
