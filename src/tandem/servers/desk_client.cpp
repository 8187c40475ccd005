#include "tandem/servers/desk_client.h"

#include "tandem/core/error.h"
#include "tandem/servers/desk_talk.h"
#include "tandem/servers/server_links.h"

namespace tandem::servers {
namespace {

ClientOptions first_server_of(ClientOptions options) {
  if (options.servers.empty()) throw InvalidArgument("parameter servers: there must be one, got no address");
  if (options.all == 0) options.all = options.servers.size();
  options.servers.resize(1);
  return options;
}

}  // namespace

class DeskClient::Body {
 public:
  explicit Body(ClientOptions options)
      : place_(options.worker),
        links_(first_server_of(std::move(options)), [this](std::size_t, ServerLink::Message& message) {
          if (message.header.kind == Kind::desk && message.header.id == asked_) answer_ = std::move(message);
        }) {}

  ~Body() {
    try {
      const auto lock = links_.lock();
      links_.send(0, header(DeskAsk::leave));
    } catch (const std::exception&) {  // it is gone
    }
  }

  Header header(DeskAsk ask) {
    return {
        .kind = Kind::desk, .worker = static_cast<int32_t>(place_), .id = ++asked_, .block = static_cast<int64_t>(ask)};
  }

  Dealt take(int64_t pass, int64_t batches, const std::vector<int64_t>& done, int64_t how) {
    auto asks = header(DeskAsk::take);
    asks.version = pass;
    asks.rows = batches;
    asks.staleness = how;
    std::string numbers(reinterpret_cast<const char*>(done.data()), done.size() * sizeof(int64_t));
    const auto answer =
        ask(asks, {Frame::of(std::move(numbers))}, "waits for the last batches of a pass, dealt by").header;
    return {static_cast<Deal>(answer.staleness), answer.block};
  }

  // Asked again where the connection was made anew.
  ServerLink::Message ask(const Header& header, std::vector<Frame> payload, const char* missing) {
    {
      const auto lock = links_.lock();
      answer_.reset();
      links_.send(0, header, payload);
    }
    links_.wait_until({.done = [&] { return answer_.has_value(); },
                       .misses = [&](std::size_t) { return true; },
                       .again = [&](std::size_t s) { links_.send(s, header, payload); },
                       .what = missing});
    return std::move(*answer_);
  }

 private:
  const int64_t place_;
  uint64_t asked_ = 0;
  std::optional<ServerLink::Message> answer_;  // guarded by the lock of links_
  ServerLinks links_;
};

DeskClient::DeskClient(ClientOptions options) : body_(std::make_unique<Body>(std::move(options))) {}
DeskClient::~DeskClient() = default;

DeskClient::Dealt DeskClient::take(int64_t pass, int64_t batches, const std::vector<int64_t>& done, bool waits) {
  return body_->take(pass, batches, done, waits ? 1 : 0);
}

void DeskClient::end(int64_t pass, int64_t batches, const std::vector<int64_t>& done) {
  body_->take(pass, batches, done, 2);
}

void DeskClient::stop(int64_t pass) {
  auto asks = body_->header(DeskAsk::stop);
  asks.version = pass + 1;  // 0: none
  body_->ask(asks, {}, "could not stop the others by");
}

std::vector<std::string> DeskClient::gather(const std::string& topic, const std::string& text) {
  const auto answer = body_->ask(body_->header(DeskAsk::gather), {Frame::of(topic), Frame::of(text)},
                                 "waits for what other workers say, gathered by");
  std::vector<std::string> all;
  for (const auto& frame : answer.payload) all.emplace_back(frame.text());
  return all;
}

void DeskClient::say(const std::string& topic, const std::string& text) {
  body_->ask(body_->header(DeskAsk::say), {Frame::of(topic), Frame::of(text)}, "could not speak by");
}

std::string DeskClient::hear(const std::string& topic) {
  const auto answer = body_->ask(body_->header(DeskAsk::hear), {Frame::of(topic)},
                                 "waits for what the first worker says, handed on by");
  return answer.payload.empty() ? std::string() : std::string(answer.payload[0].text());
}

}  // namespace tandem::servers
