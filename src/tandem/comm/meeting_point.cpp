#include "tandem/comm/meeting_point.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <array>
#include <thread>
#include <zmq.hpp>

#include "tandem/cluster/address.h"
#include "tandem/comm/curve_guard.h"
#include "tandem/comm/meeting_table.h"
#include "tandem/core/error.h"
#include "tandem/core/steady_seconds.h"

namespace tandem::comm {

class MeetingPoint::Server {
 public:
  Server(const std::string& host, int64_t port, const std::optional<JobKey>& key)
      : doors_(context_, zmq::socket_type::router),
        guard_(context_),
        stop_(context_, zmq::socket_type::pair),
        stopper_(context_, zmq::socket_type::pair),
        table_([this](const std::string& who, const MeetingAnswer& answer) {
          send_texts(doors_, {who, encode(answer)});
        }) {
    const bool here = cluster::is_loopback(host);
    if (!here && !key) {
      throw InvalidArgument(c10::str("meeting at ", host, ":", port, ": a job key (", kJobKeyVariable,
                                     ") must be set to listen beyond loopback"));
    }
    if (key) guard_.lock(doors_, *key);
    doors_.set(zmq::sockopt::ipv6, cluster::is_ipv6(host));
    doors_.set(zmq::sockopt::maxmsgsize, kLongestMeetingMessage);
    doors_.set(zmq::sockopt::linger, 1000);  // the last answers
    const auto address = c10::str("tcp://", here ? "127.0.0.1" : "*", ":", port == 0 ? "*" : std::to_string(port));
    try {
      doors_.bind(address);
    } catch (const zmq::error_t& error) {
      throw InvalidArgument(c10::str("meeting at ", host, ":", port, ": cannot listen there: ", error.what()));
    }
    const auto bound = doors_.get(zmq::sockopt::last_endpoint);
    port_ = std::stoll(bound.substr(bound.rfind(':') + 1));
    stop_.bind("inproc://stop");
    stopper_.connect("inproc://stop");
    thread_ = std::thread([this] { serve(); });
  }

  ~Server() {
    stopper_.send(zmq::str_buffer("stop"), zmq::send_flags::none);
    thread_.join();
  }

  int64_t port() const { return port_; }

 private:
  void serve() {
    std::array<zmq::pollitem_t, 3> items{
        {{stop_, 0, ZMQ_POLLIN, 0}, {guard_.questions(), 0, ZMQ_POLLIN, 0}, {doors_, 0, ZMQ_POLLIN, 0}}};
    for (;;) {
      const auto limit = table_.next_limit();
      const double wait = limit ? std::max(0.0, *limit - steady_seconds()) : 3600;
      zmq::poll(items.data(), items.size(), std::chrono::milliseconds(static_cast<int64_t>(wait * 1000) + 1));
      if (items[0].revents) return;
      if (items[1].revents) guard_.answer();
      if (items[2].revents) {
        const auto parts = receive_texts(doors_);
        const auto request = parts.size() == 2 ? decode_request(parts[1]) : std::nullopt;
        if (request) table_.ask(parts[0], *request, steady_seconds());
      }
      table_.expire(steady_seconds());
    }
  }

  zmq::context_t context_;
  zmq::socket_t doors_;
  CurveGuard guard_;
  zmq::socket_t stop_, stopper_;
  MeetingTable table_;
  int64_t port_ = 0;
  std::thread thread_;
};

MeetingPoint::MeetingPoint(const std::string& host, int64_t port, const std::optional<JobKey>& key)
    : server_(std::make_unique<Server>(host, port, key)) {}
MeetingPoint::~MeetingPoint() = default;
int64_t MeetingPoint::port() const { return server_->port(); }

}  // namespace tandem::comm
