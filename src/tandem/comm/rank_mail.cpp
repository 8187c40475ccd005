#include "tandem/comm/rank_mail.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <utility>
#include <zmq.hpp>

#include "tandem/cluster/address.h"
#include "tandem/comm/curve_guard.h"
#include "tandem/comm/job_key.h"
#include "tandem/core/error.h"
#include "tandem/core/steady_seconds.h"

namespace tandem::comm {
namespace {

constexpr std::chrono::milliseconds kPoll(100), kIdlePoll(2);
constexpr int kLingerMilliseconds = 1000;

std::string address_key(int64_t rank) { return c10::str("doors of ", rank); }

// The first rank that asks makes it.
JobKey key_of(c10d::Store& store) { return JobKey::of_secret(store.compareSet("key", "", JobKey::fresh().secret)); }

}  // namespace

struct RankMail::Sockets {
  // What goes before each message.
  struct Label {
    int64_t from, tag, type, bytes;
  };

  // To one other rank; ZeroMQ tells of its connection.
  struct Way {
    explicit Way(zmq::context_t& context)
        : socket(context, zmq::socket_type::push), events(context, zmq::socket_type::pair) {
      const auto address = c10::str("inproc://way-", reinterpret_cast<std::uintptr_t>(this));
      constexpr int kEvents = ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_DISCONNECTED;
      if (zmq_socket_monitor(socket.handle(), address.c_str(), kEvents) != 0)
        throw InternalError("messages: ZeroMQ does not tell of its connections");
      events.connect(address);
    }
    ~Way() { zmq_socket_monitor(socket.handle(), nullptr, 0); }
    Way(const Way&) = delete;
    Way& operator=(const Way&) = delete;

    // When that was, in steady seconds; 0: it is not.
    double closed_since() {
      zmq::message_t event, endpoint;
      while (events.recv(event, zmq::recv_flags::dontwait)) {
        uint16_t number = 0;
        if (event.size() >= sizeof number) std::memcpy(&number, event.data(), sizeof number);
        if (event.more() && !events.recv(endpoint, zmq::recv_flags::dontwait)) break;
        if (number == ZMQ_EVENT_HANDSHAKE_SUCCEEDED) met = true;
        if (number == ZMQ_EVENT_DISCONNECTED && met && closed == 0) closed = steady_seconds();
      }
      return closed;
    }

    zmq::socket_t socket, events;
    bool met = false;
    double closed = 0;
  };

  struct Message {
    Label label;
    zmq::message_t body;
  };

  Sockets(c10::intrusive_ptr<c10d::Store> from_store, int64_t own, const std::string& host)
      : store(std::move(from_store)), rank(own), key(key_of(*store)) {
    guard.lock(doors, key);
    doors.set(zmq::sockopt::ipv6, cluster::is_ipv6(host));
    doors.set(zmq::sockopt::rcvhwm, 0);
    doors.bind("tcp://" + cluster::Address{host, 0}.to_string());
    store->set(address_key(rank), doors.get(zmq::sockopt::last_endpoint));
  }

  Way& way_to(int64_t other) {
    const auto found = ways.find(other);
    if (found != ways.end()) return *found->second;
    const auto address = store->get_to_str(address_key(other));
    auto way = std::make_unique<Way>(context);
    unlock(way->socket, key);
    way->socket.set(zmq::sockopt::ipv6, address.find('[') != std::string::npos);
    way->socket.set(zmq::sockopt::sndhwm, 0);
    way->socket.set(zmq::sockopt::linger, kLingerMilliseconds);
    way->socket.connect(address);
    return *ways.emplace(other, std::move(way)).first->second;
  }

  // True once this rank has met the other one, their connection was closed, and what the other had sent before has had
  // its time to come. One that has not opened its doors yet is not waited for.
  bool is_gone(int64_t other) {
    if (!ways.contains(other) && !store->check({address_key(other)})) return false;
    const double since = way_to(other).closed_since();
    return since > 0 && steady_seconds() - since > 1.5e-3 * kLingerMilliseconds;
  }

  // Those that have come.
  void take_in() {
    while (true) {
      zmq::message_t head, body;
      if (!doors.recv(head, zmq::recv_flags::dontwait)) return;
      if (!head.more() || !doors.recv(body) || head.size() != sizeof(Label)) continue;
      Label label{};
      std::memcpy(&label, head.data(), sizeof label);
      kept[{label.from, label.tag}].push_back({label, std::move(body)});
    }
  }

  c10::intrusive_ptr<c10d::Store> store;
  const int64_t rank;
  const JobKey key;
  zmq::context_t context;
  CurveGuard guard{context};
  zmq::socket_t doors{context, zmq::socket_type::pull};
  std::map<int64_t, std::unique_ptr<Way>> ways;                     // by receiver
  std::map<std::pair<int64_t, int64_t>, std::deque<Message>> kept;  // by sender and tag
};

RankMail::RankMail(c10::intrusive_ptr<c10d::Store> store, int64_t rank, const std::string& host)
    : sockets_(std::make_unique<Sockets>(std::move(store), rank, host)) {}

RankMail::~RankMail() = default;

void RankMail::send(const Tensor& tensor, int64_t to, int64_t tag) {
  const Sockets::Label label{sockets_->rank, tag, static_cast<int64_t>(tensor.scalar_type()),
                             static_cast<int64_t>(tensor.nbytes())};
  auto& way = sockets_->way_to(to).socket;
  way.send(zmq::const_buffer(&label, sizeof label), zmq::send_flags::sndmore);
  way.send(zmq::const_buffer(tensor.numel() > 0 ? tensor.const_data_ptr() : &label, tensor.nbytes()),
           zmq::send_flags::none);
}

void RankMail::recv(Tensor& tensor, int64_t from, int64_t tag, const std::function<void(bool)>& waiting,
                    const std::function<void()>& idle) {
  auto& own = *sockets_;
  double asked = steady_seconds();
  auto& come = own.kept[{from, tag}];
  for (own.take_in(); come.empty(); own.take_in()) {
    std::array<zmq::pollitem_t, 2> items{
        {{own.doors.handle(), 0, ZMQ_POLLIN, 0}, {own.guard.questions().handle(), 0, ZMQ_POLLIN, 0}}};
    try {
      zmq::poll(items.data(), items.size(), idle ? kIdlePoll : kPoll);
    } catch (const zmq::error_t& error) {
      if (error.num() != EINTR) throw;
    }
    if (items[1].revents & ZMQ_POLLIN) own.guard.answer();
    if (items[0].revents & ZMQ_POLLIN) continue;
    if (idle) idle();
    if (idle && steady_seconds() - asked < 1e-3 * static_cast<double>(kPoll.count())) continue;
    asked = steady_seconds();
    const bool gone = own.is_gone(from);
    own.take_in();  // what it sent last
    if (come.empty()) waiting(gone);
  }
  const auto message = std::move(come.front());
  come.pop_front();
  if (come.empty()) own.kept.erase({from, tag});
  const auto type = static_cast<at::ScalarType>(message.label.type);
  if (type != tensor.scalar_type() || message.label.bytes != static_cast<int64_t>(tensor.nbytes()) ||
      message.body.size() != tensor.nbytes()) {
    throw InvalidArgument(c10::str("recv on rank ", own.rank, ": rank ", from, " sent ", message.label.bytes,
                                   " bytes of type ", type, ", but must fill ", tensor.nbytes(), " bytes of type ",
                                   tensor.scalar_type()));
  }
  if (tensor.numel() > 0) std::memcpy(tensor.mutable_data_ptr(), message.body.data(), message.body.size());
}

}  // namespace tandem::comm
