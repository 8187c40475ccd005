#include "tandem/comm/curve_guard.h"

#include <cstring>
#include <zmq.hpp>

namespace tandem::comm {

CurveGuard::CurveGuard(zmq::context_t& context)
    : questions_(std::make_unique<zmq::socket_t>(context, zmq::socket_type::rep)) {
  questions_->bind("inproc://zeromq.zap.01");
}

CurveGuard::~CurveGuard() = default;

void CurveGuard::lock(zmq::socket_t& doors, const JobKey& key) {
  zmq_z85_decode(allowed_.data(), key.open.c_str());
  doors.set(zmq::sockopt::zap_domain, "tandem");
  doors.set(zmq::sockopt::curve_server, true);
  doors.set(zmq::sockopt::curve_secretkey, key.secret);
}

// A question is: version, number, domain, address, identity, mechanism, key of 32 bytes.
void CurveGuard::answer() {
  const auto asked = receive_texts(*questions_);
  const bool known = asked.size() == 7 && asked[5] == "CURVE" && asked[6].size() == allowed_.size() &&
                     std::memcmp(asked[6].data(), allowed_.data(), allowed_.size()) == 0;
  if (asked.size() < 2) return send_texts(*questions_, {"1.0", "", "400", "malformed", "", ""});
  send_texts(*questions_, {"1.0", asked[1], known ? "200" : "400", known ? "OK" : "unknown key", "", ""});
}

void unlock(zmq::socket_t& socket, const JobKey& key) {
  socket.set(zmq::sockopt::curve_serverkey, key.open);
  socket.set(zmq::sockopt::curve_publickey, key.open);
  socket.set(zmq::sockopt::curve_secretkey, key.secret);
}

std::vector<std::string> receive_texts(zmq::socket_t& socket) {
  std::vector<std::string> parts;
  zmq::message_t part;
  do {
    if (!socket.recv(part)) break;
    parts.emplace_back(static_cast<const char*>(part.data()), part.size());
  } while (part.more());
  return parts;
}

void send_texts(zmq::socket_t& socket, const std::vector<std::string>& parts) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto more = i + 1 < parts.size() ? zmq::send_flags::sndmore : zmq::send_flags::none;
    socket.send(zmq::buffer(parts[i]), more | zmq::send_flags::dontwait);
  }
}

}  // namespace tandem::comm
