#include "tandem/servers/server_link.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <cstring>
#include <tuple>
#include <zmq.hpp>

#include "tandem/cluster/address.h"
#include "tandem/comm/curve_guard.h"
#include "tandem/core/error.h"
#include "tandem/core/steady_seconds.h"
#include "tandem/servers/frame_socket.h"

namespace tandem::servers {
namespace {

constexpr double kPingEvery = 1;   // seconds
constexpr double kAwayAtMost = 2;  // seconds until a closed connection must be there again
constexpr double kSilent = 0.99;   // of silence_seconds, so that those who look now and then notice it within them
constexpr const char* kRefuses = ": refuses to speak with us: both must have the same key, or none";
constexpr int kReconnectAfter = 50;  // milliseconds
constexpr int kEvents = ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL |
                        ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH;

}  // namespace

struct ServerLink::Sockets {
  explicit Sockets(const std::string& address)
      : context(context_for(address)),
        socket(*context, zmq::socket_type::dealer),
        events(*context, zmq::socket_type::pair) {}

  std::shared_ptr<zmq::context_t> context;
  zmq::socket_t socket, events;
};

ServerLink::ServerLink(std::string name, const std::string& address, const std::string& own_name,
                       const std::optional<comm::JobKey>& key, double silence_seconds)
    : name_(std::move(name)), silence_seconds_(silence_seconds), sockets_(std::make_unique<Sockets>(address)) {
  auto& socket = sockets_->socket;
  socket.set(zmq::sockopt::routing_id, own_name);
  socket.set(zmq::sockopt::sndhwm, 0);  // no more than one gradient waits here, in its own memory
  socket.set(zmq::sockopt::rcvhwm, 0);  // no more than one answer a push
  socket.set(zmq::sockopt::maxmsgsize, kLongestFrame);
  socket.set(zmq::sockopt::linger, 500);
  socket.set(zmq::sockopt::reconnect_ivl, kReconnectAfter);
  if (is_within_process(address)) {
    connected_ = true;
    socket.connect(address);
    return;
  }
  const auto at = cluster::Address::parse(address, name_);
  if (!key && !cluster::is_loopback(at.host))
    throw InvalidArgument(name_ + ": a key must be given to speak with it beyond loopback, got none");
  if (key) comm::unlock(socket, *key);
  socket.set(zmq::sockopt::ipv6, cluster::is_ipv6(at.host));
  const auto events = c10::str("inproc://events-", reinterpret_cast<std::uintptr_t>(this));
  if (zmq_socket_monitor(socket.handle(), events.c_str(), kEvents) != 0)
    throw InternalError(name_ + ": ZeroMQ does not tell of its connections");
  sockets_->events.connect(events);
  socket.connect("tcp://" + at.to_string());
}

ServerLink::~ServerLink() { zmq_socket_monitor(sockets_->socket.handle(), nullptr, 0); }

zmq::socket_t& ServerLink::socket() { return sockets_->socket; }

bool ServerLink::send(const Header& header, std::vector<Frame> payload) {
  payload.insert(payload.begin(), Frame::of(encode(header)));
  return send_frames(sockets_->socket, payload);
}

std::optional<ServerLink::Message> ServerLink::receive() {
  for (auto frames = receive_frames(sockets_->socket); !frames.empty(); frames = receive_frames(sockets_->socket)) {
    unanswered_.reset();
    heard_ = steady_seconds();
    const auto header = decode_header(frames[0].text());
    if (!header) continue;
    frames.erase(frames.begin());
    if (header->kind != Kind::ping) return Message{*header, std::move(frames)};
    stops_ = stops_ || header->staleness == 1;
    waits_for_ = frames.empty() ? "" : frames[0].text();
  }
  return {};
}

void ServerLink::ping(int64_t worker, double now) {
  if (now - last_ping_ < kPingEvery) return;
  last_ping_ = now;
  // It may have fallen silent right after it was heard last. Where we ourselves have slept, that says nothing.
  const double asleep = std::min(2 * kPingEvery, silence_seconds_ / 5);
  if (!unanswered_ && connected_) unanswered_ = heard_ ? std::max(*heard_, now - asleep) : now;
  // One that takes no ping has said why, or is silent.
  if (connected_) std::ignore = send({.kind = Kind::ping, .worker = static_cast<int32_t>(worker)});
}

void ServerLink::check(double now) {
  read_events(now);
  if (away_ && now - *away_ > kAwayAtMost)
    throw PeerError(c10::str(name_, ": its connection closed and did not come back within ", kAwayAtMost, " s"));
  if (refused_ && now - *refused_ > kAwayAtMost) throw PeerError(name_ + kRefuses);
  if (unanswered_ && now - *unanswered_ > kSilent * silence_seconds_)
    throw PeerError(c10::str(name_, ": has been silent for ", silence_seconds_, " s"));
}

std::string ServerLink::why_unsent(double now) {
  read_events(now);
  return name_ + (refused_ ? kRefuses : ": nothing can be sent to it");
}

void ServerLink::read_events(double now) {
  zmq::message_t event;
  while (sockets_->events.handle() && sockets_->events.recv(event, zmq::recv_flags::dontwait)) {
    uint16_t number = 0;
    if (event.size() >= sizeof(number)) std::memcpy(&number, event.data(), sizeof(number));
    while (event.more() && sockets_->events.recv(event, zmq::recv_flags::dontwait)) {
    }
    if (number == ZMQ_EVENT_HANDSHAKE_SUCCEEDED) {
      came_back_ = came_back_ || away_;
      connected_ = true;
      away_.reset();
      refused_.reset();
    } else if (number == ZMQ_EVENT_DISCONNECTED) {
      if (connected_ && !away_) away_ = now;
    } else if (!refused_) {
      refused_ = now;
    }
  }
}

bool ServerLink::has_come_back() { return std::exchange(came_back_, false); }

}  // namespace tandem::servers
