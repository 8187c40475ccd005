#include "tandem/comm/meeting_store.h"

#include <c10/util/StringUtil.h>

#include <zmq.hpp>

#include "tandem/cluster/address.h"
#include "tandem/comm/curve_guard.h"
#include "tandem/comm/meeting_point.h"
#include "tandem/core/error.h"
#include "tandem/core/steady_seconds.h"

namespace tandem::comm {
namespace {

// What the way to the meeting point and back may take at least.
constexpr std::chrono::milliseconds kForTheWay(1000);

std::string text_of(const std::vector<uint8_t>& bytes) { return {bytes.begin(), bytes.end()}; }
std::vector<uint8_t> bytes_of(const std::string& text) { return {text.begin(), text.end()}; }

}  // namespace

struct MeetingStore::Connection {
  zmq::context_t context;
  zmq::socket_t socket{context, zmq::socket_type::dealer};
};

MeetingStore::MeetingStore(std::string host, int64_t port, std::optional<JobKey> key, std::chrono::milliseconds limit)
    : c10d::Store(limit),
      host_(std::move(host)),
      port_(port),
      key_(std::move(key)),
      connection_(std::make_unique<Connection>()) {
  auto& socket = connection_->socket;
  if (key_) unlock(socket, *key_);
  socket.set(zmq::sockopt::ipv6, cluster::is_ipv6(host_));
  socket.set(zmq::sockopt::maxmsgsize, kLongestMeetingMessage);
  socket.set(zmq::sockopt::linger, 1000);  // what was set last
  socket.connect("tcp://" + cluster::Address{host_, port_}.to_string());
}

MeetingStore::~MeetingStore() = default;

c10::intrusive_ptr<c10d::Store> MeetingStore::clone() {
  return c10::make_intrusive<MeetingStore>(host_, port_, key_, timeout_);
}

void MeetingStore::set(const std::string& key, const std::vector<uint8_t>& value) {
  ask({.ask = Ask::set, .value = text_of(value), .keys = {key}});
}

std::vector<uint8_t> MeetingStore::compareSet(const std::string& key, const std::vector<uint8_t>& before,
                                              const std::vector<uint8_t>& value) {
  return bytes_of(
      ask({.ask = Ask::compare_set, .value = text_of(value), .before = text_of(before), .keys = {key}}).value);
}

std::vector<uint8_t> MeetingStore::get(const std::string& key) {
  const auto answer = ask({.ask = Ask::get, .limit_ms = timeout_.count(), .keys = {key}});
  if (answer.amount == 0) {
    throw PeerError(
        c10::str("meeting at ", host_, ":", port_, ": nobody has set '", key, "' within ", seconds_of(timeout_), " s"));
  }
  return bytes_of(answer.value);
}

int64_t MeetingStore::add(const std::string& key, int64_t value) {
  return ask({.ask = Ask::add, .amount = value, .keys = {key}}).amount;
}

bool MeetingStore::deleteKey(const std::string& key) { return ask({.ask = Ask::remove, .keys = {key}}).amount == 1; }
bool MeetingStore::check(const std::vector<std::string>& keys) {
  return keys.empty() || ask({.ask = Ask::check, .keys = keys}).amount == 1;
}
int64_t MeetingStore::getNumKeys() { return ask({.ask = Ask::count}).amount; }
void MeetingStore::wait(const std::vector<std::string>& keys) { wait(keys, timeout_); }

void MeetingStore::wait(const std::vector<std::string>& keys, const std::chrono::milliseconds& limit) {
  if (keys.empty() || ask({.ask = Ask::wait, .limit_ms = limit.count(), .keys = keys}).amount == 1) return;
  std::string missing;
  for (const auto& key : keys) {
    if (!check({key})) missing += (missing.empty() ? "'" : ", '") + key + "'";
  }
  throw PeerError(
      c10::str("meeting at ", host_, ":", port_, ": nobody has set ", missing, " within ", seconds_of(limit), " s"));
}

MeetingAnswer MeetingStore::ask(MeetingRequest request) {
  const std::lock_guard lock(mutex_);
  auto& socket = connection_->socket;
  request.number = ++asked_;
  // A meeting point that has not begun yet is waited for, too.
  const auto limit = std::max(timeout_, kForTheWay) + std::chrono::milliseconds(request.limit_ms);
  const double until = steady_seconds() + seconds_of(limit);
  socket.set(zmq::sockopt::sndtimeo, static_cast<int>(limit.count()));
  bool sent = socket.send(zmq::buffer(encode(request)), zmq::send_flags::none).has_value();
  for (double left = until - steady_seconds(); sent && left > 0; left = until - steady_seconds()) {
    socket.set(zmq::sockopt::rcvtimeo, static_cast<int>(left * 1000) + 1);
    zmq::message_t message;
    if (!socket.recv(message)) break;
    const auto answer = decode_answer({static_cast<const char*>(message.data()), message.size()});
    if (answer && answer->number == request.number) return *answer;  // others are late ones
  }
  throw PeerError(c10::str("meeting at ", host_, ":", port_, ": no answer within ", seconds_of(limit), " s"));
}

}  // namespace tandem::comm
