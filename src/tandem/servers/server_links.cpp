#include "tandem/servers/server_links.h"

#include <c10/util/StringUtil.h>

#include <cmath>
#include <zmq.hpp>

#include "tandem/core/error.h"
#include "tandem/core/log.h"
#include "tandem/core/steady_seconds.h"
#include "tandem/servers/server_names.h"

namespace tandem::servers {
namespace {

constexpr std::chrono::milliseconds kPollFor(50);
constexpr std::chrono::milliseconds kSignEvery(1000);
constexpr double kSayEvery = 5;  // seconds from one line of the log to the next

const ClientOptions& checked_links(const ClientOptions& options) {
  if (options.servers.empty()) throw InvalidArgument("parameter servers: there must be one, got no address");
  check_different(options.servers, "parameter servers");
  if (!(options.silence_seconds > 0) || !(options.begin_seconds > 0) || !(options.wait_seconds > 0))
    throw InvalidArgument(c10::str("parameter servers: seconds must be positive, got silence ", options.silence_seconds,
                                   ", begin ", options.begin_seconds, ", wait ", options.wait_seconds));
  return options;
}

}  // namespace

ServerLinks::ServerLinks(const ClientOptions& options, Take take, std::string who)
    : worker_(checked_links(options).worker),
      who_(who.empty() ? c10::str("worker ", options.worker) : std::move(who)),
      wait_seconds_(options.wait_seconds),
      stop_begin_(options.stop),
      take_(std::move(take)),
      failures_(options.servers.size()),
      asked_(options.servers.size()) {
  const auto own_name = name_of_run(who_);
  const auto all = options.all > 0 ? options.all : options.servers.size();
  int64_t number = options.first;
  for (const auto& address : options.servers) {
    const auto name = name_of_server(number++, all, address);
    links_.push_back(std::make_unique<ServerLink>(name, address, own_name, options.key, options.silence_seconds));
  }
  signs_ = std::thread([this] { give_signs(); });
}

ServerLinks::~ServerLinks() {
  {
    const std::lock_guard lock(stop_mutex_);
    stopping_ = true;
  }
  stop_.notify_all();
  signs_.join();
}

void ServerLinks::send(std::size_t server, const Header& header, std::vector<Frame> payload) {
  asked_[server] = {header.kind, header.id};
  if (failures_[server].fault != Fault::job) failures_[server] = {};
  if (links_[server]->send(header, std::move(payload))) return;
  take_in(server);
  failed_ = true;
  if (failures_[server].text.empty()) raise(Failure{links_[server]->why_unsent(steady_seconds())});
  raise(server);
}

void ServerLinks::raise(std::size_t server) {
  const auto failure = failures_[server];
  if (failure.fault != Fault::job) failures_[server] = {};
  raise(failure);
}

void ServerLinks::raise(const Failure& failure) {
  if (failure.fault == Fault::argument) throw InvalidArgument(failure.text);
  if (failure.fault == Fault::files) throw DataError(failure.text);
  throw PeerError(failure.text);
}

void ServerLinks::wait_until(const Wait& wait) {
  failed_ = true;
  wait_or_throw(wait);
  failed_ = false;
}

void ServerLinks::wait_or_throw(const Wait& wait) {
  const double begin = steady_seconds(), limit = wait.seconds > 0 ? wait.seconds : wait_seconds_;
  double said = begin;
  std::vector<zmq::pollitem_t> items;
  for (bool first = true;; first = false) {
    const std::lock_guard lock(mutex_);
    for (std::size_t s = 0; first && s < count(); ++s) items.push_back({links_[s]->socket(), 0, ZMQ_POLLIN, 0});
    if (!first) zmq::poll(items.data(), items.size(), kPollFor);
    for (std::size_t s = 0; s < count(); ++s) take_in(s);
    if (wait.done()) return;
    check_aborted();
    if (wait.seconds > 0 && stop_begin_.stop_requested())
      throw Stopped(c10::str(who_, ": was told to end before all servers had answered"));
    const double now = steady_seconds();
    for (std::size_t s = 0; s < count(); ++s) {
      if (!failures_[s].text.empty()) raise(s);
      links_[s]->check(now);
      if (links_[s]->has_come_back()) wait.again(s);
      links_[s]->ping(worker_, now);
      if (now - begin > limit && wait.misses(s)) throw PeerError(describe(s, wait, limit));
      if (now - said > kSayEvery && wait.misses(s)) {
        log_info(describe(s, wait, now - begin));
        said = now;
      }
    }
  }
}

void ServerLinks::abort(const std::string& reason) {
  const std::lock_guard lock(abort_mutex_);
  aborted_ = reason;
}

void ServerLinks::check_aborted() {
  const std::lock_guard lock(abort_mutex_);
  if (!aborted_.empty()) throw PeerError(c10::str(who_, ": ", aborted_));
}

std::string ServerLinks::describe(std::size_t server, const Wait& wait, double seconds) const {
  const auto& link = *links_[server];
  const auto why = !link.connected()          ? std::string(", which cannot be reached")
                   : link.waits_for().empty() ? std::string()
                                              : ", which waits for " + link.waits_for();
  return c10::str(who_, " ", wait.what, " ", link.name(), " after ", std::round(seconds * 10) / 10, " s", why);
}

// Several servers refuse alike, of which the first one was heard: the others' come later.
bool ServerLinks::is_of_last(std::size_t server, const Header& error) const {
  const auto& last = asked_[server];
  return static_cast<Fault>(error.id) == Fault::job ||
         (error.block == static_cast<int64_t>(last.kind) && error.version == static_cast<int64_t>(last.id));
}

void ServerLinks::take_in(std::size_t server) {
  while (auto message = links_[server]->receive()) {
    if (message->header.kind == Kind::error) {
      if (!is_of_last(server, message->header)) continue;
      const auto text = message->payload.empty() ? std::string_view() : message->payload[0].text();
      // The first one is the cause of those that follow.
      if (failures_[server].text.empty())
        failures_[server] = {c10::str(links_[server]->name(), ": ", text), static_cast<Fault>(message->header.id)};
    } else {
      take_(server, *message);
    }
  }
  if (links_[server]->stops()) stops_ = true;
}

void ServerLinks::give_signs() {
  std::unique_lock stop(stop_mutex_);
  while (!stop_.wait_for(stop, kSignEvery, [&] { return stopping_; })) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) continue;  // who holds it gives them
    for (std::size_t s = 0; s < count(); ++s) {
      try {
        links_[s]->ping(worker_, steady_seconds());
        take_in(s);
      } catch (const std::exception& error) {  // the next wait says it
        failures_[s] = {error.what()};
      }
    }
  }
}

}  // namespace tandem::servers
