#include "tandem/servers/server.h"

#include <c10/util/StringUtil.h>

#include <array>
#include <atomic>
#include <mutex>
#include <thread>
#include <zmq.hpp>

#include "tandem/cluster/address.h"
#include "tandem/cluster/interface.h"
#include "tandem/comm/curve_guard.h"
#include "tandem/core/error.h"
#include "tandem/core/steady_seconds.h"
#include "tandem/kernels/own_threads.h"
#include "tandem/servers/connection_watch.h"
#include "tandem/servers/frame_socket.h"
#include "tandem/servers/server_group.h"
#include "tandem/servers/server_names.h"
#include "tandem/servers/server_peers.h"
#include "tandem/servers/server_talk.h"

namespace tandem::servers {
namespace {

constexpr int kWaitingMessages = 16;  // of a worker, that have come and are not heard yet: the network holds back more
constexpr double kLookEvery = 0.2;    // seconds
constexpr int kMessagesBetweenLooks = 64;
constexpr double kAwayFor = 1.5;  // seconds without a connection until a worker is lost: it makes a new one at once

void check_options(const ServerOptions& options) {
  const auto where = "server at " + options.address + ": ";
  if (!(options.silence_seconds > 0) || !(options.gone_seconds >= 0) || !(options.start_seconds >= 0))
    throw InvalidArgument(c10::str(where, "seconds must be positive, got silence ", options.silence_seconds, ", gone ",
                                   options.gone_seconds, ", start ", options.start_seconds));
  if (options.threads < 1 || options.threads > kMostThreads)
    throw InvalidArgument(c10::str(where, "threads must be from 1 to ", kMostThreads, ", got ", options.threads));
  check_different(options.hosts, "server: hosts");
}

ServerOptions at_own_address(ServerOptions options) {
  if (options.host >= 0 && options.host < static_cast<int64_t>(options.hosts.size()))
    options.address = options.hosts[static_cast<std::size_t>(options.host)];
  check_options(options);
  return options;
}

std::unique_ptr<SnapshotFiles> files_of(const ServerOptions& options) {
  if (options.save.folder.empty()) return nullptr;
  SavingHost host{.own = options.host, .count = static_cast<int64_t>(options.hosts.size())};
  if (host.count > 0)
    host.text = c10::str("server ", host.own, " of ", host.count, " with server_sync ", options.server_sync,
                         " and sync_every ", options.sync_every);
  return std::make_unique<SnapshotFiles>(options.save, host);
}

}  // namespace

class Server::Body {
 public:
  explicit Body(ServerOptions options)
      : options_(at_own_address(std::move(options))),
        context_(context_for(options_.address)),
        doors_(*context_, zmq::socket_type::router),
        stop_(*context_, zmq::socket_type::pair),
        stopper_(*context_, zmq::socket_type::pair),
        saves_(files_of(options_)),
        talk_(
            options_.silence_seconds,
            [this](const std::string& who, const Header& header, std::vector<Frame> more) {
              std::vector<Frame> frames{Frame::of(who), Frame::of(encode(header))};
              std::move(more.begin(), more.end(), std::back_inserter(frames));
              // A worker that has gone gets nothing: its silence is noticed.
              send_frames(doors_, frames);
            },
            saves_.get()) {
    doors_.set(zmq::sockopt::rcvhwm, kWaitingMessages);
    doors_.set(zmq::sockopt::sndhwm, 0);  // answers are as few as pushes, and share their memory
    doors_.set(zmq::sockopt::router_handover, true);
    doors_.set(zmq::sockopt::maxmsgsize, kLongestFrame);
    doors_.set(zmq::sockopt::linger, 1000);  // the last answers
    listen();
    meet_others();
    static std::atomic<int64_t> servers = 0;  // ZeroMQ keeps an address for a moment after its socket was closed
    const auto stop_address = c10::str("inproc://stop-server-", servers++);
    stop_.bind(stop_address);
    stopper_.connect(stop_address);
    thread_ = std::thread([this] { serve(); });
  }

  ~Body() { stop(); }

  const std::string& address() const { return address_; }
  bool has_ended() const { return ended_; }
  bool done() const { return ended_ && talk_.failure().empty() && talk_.any_is_done(); }
  std::string why_not_done() const { return ended_ ? talk_.why_none_is_done() : ""; }
  ServerFigures figures() const { return ended_ ? talk_.figures() : ServerFigures(); }

  void stop() {
    const std::lock_guard lock(mutex_);
    if (!thread_.joinable()) return;
    stopper_.send(zmq::str_buffer("stop"), zmq::send_flags::dontwait);
    thread_.join();
  }

  void stop_after(double seconds) { stop_by_ = steady_seconds() + seconds; }

  void wait() {
    ended_.wait(false);
    if (!talk_.failure().empty()) throw PeerError("server at " + address_ + ": " + talk_.failure());
  }

 private:
  void listen() {
    address_ = options_.address;
    std::string endpoint = address_;
    if (!is_within_process(address_)) {
      const auto at = cluster::Address::parse(address_, "server address", 0);
      const bool here = cluster::is_loopback(at.host);
      if (!here && !options_.key)
        throw InvalidArgument("server at " + address_ + ": a key must be given to listen beyond loopback");
      // All interfaces are listened on, which a slip of the pen must not come to.
      if (!here && cluster::address_toward(at.host).empty())
        throw InvalidArgument(
            c10::str("server at ", address_, ": its host must be known, with a way to it, got '", at.host, "'"));
      if (options_.key) {
        guard_ = std::make_unique<comm::CurveGuard>(*context_);
        guard_->lock(doors_, *options_.key);
      }
      doors_.set(zmq::sockopt::ipv6, cluster::is_ipv6(at.host));
      endpoint = c10::str("tcp://",
                          !here                       ? "*"
                          : cluster::is_ipv6(at.host) ? "[::1]"
                                                      : "127.0.0.1",
                          ":", at.port == 0 ? "*" : std::to_string(at.port));
    }
    if (!is_within_process(address_)) watch_ = std::make_unique<ConnectionWatch>(*context_, doors_);
    try {
      doors_.bind(endpoint);
    } catch (const zmq::error_t& error) {
      throw InvalidArgument("server at " + address_ + ": cannot listen there: " + error.what());
    }
    if (is_within_process(address_)) return;
    const auto bound = doors_.get(zmq::sockopt::last_endpoint);
    address_ = address_.substr(0, address_.rfind(':')) + bound.substr(bound.rfind(':'));
  }

  void meet_others() {
    if (options_.hosts.empty()) return;
    group_.emplace(GroupOptions{options_.hosts, options_.host, server_sync(options_.server_sync), options_.sync_every,
                                saves_ ? options_.save.every_updates : 0},
                   [this](int64_t to, const Header& header, std::vector<Frame> payload) {
                     peers_->send(to, header, std::move(payload));
                   });
    ServerPeers::Options options{.addresses = options_.hosts,
                                 .own = options_.host,
                                 .key = options_.key,
                                 .silence_seconds = options_.silence_seconds};
    for (std::size_t s = 0; s < options_.hosts.size(); ++s)
      options.names.push_back(group_->name(static_cast<int64_t>(s)));
    peers_.emplace(options);
    talk_.join(&*group_);
  }

  void look_for_others(double now) {
    if (!group_) return;
    peers_->look(now, {.leave_out = [&](int64_t s) { return group_->is_gone(s) || talk_.over(); },
                       .lost = [&](int64_t s, const std::string& why) { talk_.lost_server(s, why); },
                       .again = [&](int64_t s) { group_->send_again(s); }});
  }

  void leave_others(double now) {
    group_->leave();
    left_ = now;
  }

  // Whether others still have to hear that this server's workers are done, or what they have saved is of use with what
  // this one has.
  bool leaves_others(double now) {
    if (!group_ || talk_.over()) return false;
    if (!group_->leaves()) {
      if (!talk_.has_begun()) {
        talk_.end(c10::str("no worker has come within ", options_.start_seconds, " s"));
        return false;
      }
      leave_others(now);
    }
    const bool waits = saves_ && talk_.all_have_left() && !group_->all_others_left();
    if (waits) left_ = now;
    return waits || (!group_->may_end() && now - left_ < options_.silence_seconds);
  }

  void serve() {
    kernels::set_own_threads(options_.threads);
    std::vector<zmq::pollitem_t> items{{stop_, 0, ZMQ_POLLIN, 0}, {doors_, 0, ZMQ_POLLIN, 0}};
    if (guard_) items.push_back({guard_->questions(), 0, ZMQ_POLLIN, 0});
    double somebody = steady_seconds();
    bool begun = false, stops = false;
    for (bool stopped = false; !stopped;) {
      zmq::poll(items, milliseconds_of(kLookEvery));
      if (guard_ && items[2].revents) guard_->answer();
      if (watch_) talk_.away(watch_->away(steady_seconds()));
      if (items[1].revents) hear_all();
      const double now = steady_seconds();
      look_for_others(now);
      if (watch_) {
        for (const auto& who : watch_->gone(now, kAwayFor)) talk_.closed(who);
      }
      talk_.look(now);
      if (!talk_.nobody()) {
        somebody = now;
        begun = true;
      } else if (!begun && talk_.anybody_came()) {
        somebody = now;
        begun = true;
      }
      // Others may still need its work desk.
      if (group_ && !talk_.over() && !group_->leaves() && talk_.all_have_left()) leave_others(now);
      const double most = begun ? options_.gone_seconds : options_.start_seconds;
      const double stop_by = stop_by_;
      if (stop_by > 0 && !std::exchange(stops, true)) talk_.stop_work();
      if (items[0].revents || (stops && now > stop_by)) {
        if (!talk_.nobody() || (group_ && !group_->leaves())) talk_.end("it has been stopped");
        talk_.ends_watch(now);
        stopped = true;
      } else if (talk_.nobody() && (talk_.all_have_left() || talk_.over() || stops || now - somebody > most)) {
        stopped = !leaves_others(now) && talk_.ends_watch(now);
      }
    }
    const bool done = talk_.all_have_left() && talk_.failure().empty();
    if (done && (!group_ || group_->all_others_left())) talk_.forget_saved();
    watch_.reset();
    doors_.close();
    peers_.reset();
    ended_ = true;
    ended_.notify_all();
  }

  void hear_all() {
    for (int i = 0; i < kMessagesBetweenLooks; ++i) {
      int connection = -1;
      auto frames = receive_frames(doors_, &connection);
      if (frames.empty()) return;
      const std::string who(frames[0].text());
      if (watch_) watch_->heard(who, connection);
      frames.erase(frames.begin());
      talk_.hear(who, frames, steady_seconds());
    }
  }

  ServerOptions options_;
  std::shared_ptr<zmq::context_t> context_;
  zmq::socket_t doors_;
  std::unique_ptr<comm::CurveGuard> guard_;
  zmq::socket_t stop_, stopper_;
  std::unique_ptr<ConnectionWatch> watch_;
  std::unique_ptr<SnapshotFiles> saves_;
  ServerTalk talk_;
  std::optional<ServerPeers> peers_;
  std::optional<ServerGroup> group_;
  double left_ = 0;
  std::atomic<double> stop_by_ = 0;  // when workers must have ended; 0: nobody stops it
  std::string address_;
  std::atomic<bool> ended_ = false;
  std::mutex mutex_;
  std::thread thread_;
};

Server::Server(ServerOptions options) : body_(std::make_unique<Body>(std::move(options))) {}
Server::~Server() = default;
const std::string& Server::address() const { return body_->address(); }
void Server::wait() { body_->wait(); }
bool Server::done() const { return body_->done(); }
std::string Server::why_not_done() const { return body_->why_not_done(); }
ServerFigures Server::figures() const { return body_->figures(); }
bool Server::has_ended() const { return body_->has_ended(); }
void Server::stop() { body_->stop(); }
void Server::stop_after(double seconds) { body_->stop_after(seconds); }

}  // namespace tandem::servers
