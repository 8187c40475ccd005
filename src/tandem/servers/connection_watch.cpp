#include "tandem/servers/connection_watch.h"

#include <c10/util/StringUtil.h>

#include <cstdint>
#include <cstring>
#include <zmq.hpp>

#include "tandem/core/error.h"

namespace tandem::servers {

ConnectionWatch::ConnectionWatch(zmq::context_t& context, zmq::socket_t& doors)
    : doors_(doors), events_(std::make_unique<zmq::socket_t>(context, zmq::socket_type::pair)) {
  const auto address = c10::str("inproc://connections-", reinterpret_cast<std::uintptr_t>(this));
  if (zmq_socket_monitor(doors.handle(), address.c_str(), ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_DISCONNECTED) != 0)
    throw InternalError("server: ZeroMQ does not tell of its connections");
  events_->connect(address);
}

ConnectionWatch::~ConnectionWatch() { zmq_socket_monitor(doors_.handle(), nullptr, 0); }

void ConnectionWatch::read_events(double now) {
  zmq::message_t event, endpoint;
  while (events_->recv(event, zmq::recv_flags::dontwait)) {
    uint16_t number = 0;
    int32_t connection = -1;
    if (event.size() >= sizeof(number) + sizeof(connection)) {
      std::memcpy(&number, event.data(), sizeof(number));
      std::memcpy(&connection, static_cast<const char*>(event.data()) + sizeof(number), sizeof(connection));
    }
    if (event.more() && !events_->recv(endpoint, zmq::recv_flags::dontwait)) return;
    if (number == ZMQ_EVENT_ACCEPTED) closed_.erase(connection);  // the number is another one's now
    if (number == ZMQ_EVENT_DISCONNECTED) closed_.emplace(connection, now);
  }
}

std::vector<std::string> ConnectionWatch::away(double now) {
  read_events(now);
  std::vector<std::string> away;
  for (const auto& [who, connection] : connections_) {
    if (closed_.contains(connection)) away.push_back(who);
  }
  return away;
}

std::vector<std::string> ConnectionWatch::gone(double now, double seconds) {
  read_events(now);
  std::vector<std::string> gone;
  for (const auto& [who, connection] : connections_) {
    const auto closed = closed_.find(connection);
    if (closed != closed_.end() && now - closed->second > seconds) gone.push_back(who);
  }
  for (const auto& who : gone) connections_.erase(who);
  return gone;
}

}  // namespace tandem::servers
