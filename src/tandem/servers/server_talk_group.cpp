// What a server hears of those of other hosts, and what its workers said while it averages with them.
#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/core/error.h"
#include "tandem/servers/server_talk.h"

namespace tandem::servers {
namespace {

constexpr std::size_t kLongestError = 500;  // bytes

// Of what went wrong in a message of that kind.
Fault fault_of(const std::exception& error, Kind kind) {
  if (dynamic_cast<const InvalidArgument*>(&error)) return Fault::argument;
  const bool begins = kind == Kind::hello || kind == Kind::resume;
  return begins && dynamic_cast<const DataError*>(&error) ? Fault::files : Fault::job;
}

// Messages repeat names that came as bytes; those of LibTorch have several lines.
std::string one_line(std::string text) {
  if (text.size() > kLongestError) text.resize(kLongestError);
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < ' '; }, ' ');
  return text;
}

}  // namespace

void ServerTalk::answer_errors(const std::string& who, const Header& header, const std::vector<Frame>& frames,
                               double now) {
  const bool server = group_ && (is_between_servers(header.kind) || header.kind == Kind::error);
  try {
    if (server && over_) return say(who, Kind::error, failure_);
    if (server) {
      group_->hear(header, frames);
      // Worker 0 may wait for it.
      if (header.kind == Kind::saved && !table_) greet_early(now);
      return;
    }
    handle(who, header, frames, now);
  } catch (const PeerError& error) {
    if (server) return end(error.what());
    fail(error.what());
  } catch (const std::exception& error) {  // of that worker's making, LibTorch's own among them
    const auto text = c10::str(server ? "server " : "worker ", header.worker, ": ", one_line(error.what()));
    refuse(who, header, fault_of(error, header.kind), text);
  }
}

void ServerTalk::refuse(const std::string& who, const Header& what, Fault fault, const std::string& why) {
  send_(who,
        {.kind = Kind::error,
         .id = static_cast<uint64_t>(fault),
         .block = static_cast<int64_t>(what.kind),
         .version = static_cast<int64_t>(what.id)},
        {Frame::of(why)});
}

// What follows from a message: a round of the servers, and what was held for it.
void ServerTalk::settle(double now) {
  if (!group_ || settles_) return;
  settles_ = true;
  for (bool more = true; more && !over_;) {
    try {
      group_->look();
    } catch (const std::exception& error) {
      end(one_line(error.what()));
      break;
    }
    answer_asked();
    more = !held_.empty() && !holds();
    if (!more) break;
    const auto held = held_.pop();
    answer_errors(held.who, held.header, held.frames, now);
  }
  settles_ = false;
}

void ServerTalk::ask_average(const std::string& who, uint64_t id, int64_t round) {
  if (asks_.waits(who, id)) return;
  if (!group_) throw InvalidArgument("must ask servers for an average that were told of others, got one that was not");
  const bool asks = !asks_.answered(who, id);
  asks_.add(who, id, asks ? group_->ask(round) : 0);
  answer_asked();
}

void ServerTalk::answer_asked() {
  asks_.take(group_ ? group_->rounds() : 0,
             [this](const std::string& who, uint64_t id) { send_(who, {.kind = Kind::average, .id = id}, {}); });
}

void ServerTalk::lost_server(int64_t server, const std::string& why) {
  try {
    group_->lost(server, why);
  } catch (const PeerError& error) {
    end(error.what());
  }
}

}  // namespace tandem::servers
