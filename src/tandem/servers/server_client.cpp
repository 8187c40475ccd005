#include "tandem/servers/server_client.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <random>
#include <thread>
#include <zmq.hpp>

#include "tandem/comm/byte_stream.h"
#include "tandem/core/error.h"
#include "tandem/core/steady_seconds.h"
#include "tandem/servers/server_link.h"

namespace tandem::servers {
namespace {

constexpr std::chrono::milliseconds kPollFor(50);
constexpr std::chrono::milliseconds kSignEvery(1000);

// Two runs of a worker are different ones to a server.
std::string name_of_run(int64_t worker) {
  std::random_device random;
  return c10::str("worker-", worker, "-", random(), "-", random());
}

}  // namespace

class ServerClient::Body {
 public:
  explicit Body(ClientOptions options) : options_(std::move(options)) {
    if (options_.servers.empty()) throw InvalidArgument("parameter servers: there must be one, got no address");
    if (options_.worker < 0) throw InvalidArgument(c10::str("worker: must be at least 0, got ", options_.worker));
    const auto own_name = name_of_run(options_.worker);
    const auto count = options_.servers.size();
    for (std::size_t s = 0; s < count; ++s) {
      const auto& address = options_.servers[s];
      links_.push_back(std::make_unique<ServerLink>(c10::str("server ", s, " of ", count, " (", address, ")"), address,
                                                    own_name, options_.key, options_.silence_seconds));
    }
    signs_ = std::thread([this] { give_signs(); });
  }

  ~Body() {
    {
      const std::lock_guard lock(stop_mutex_);
      stopping_ = true;
    }
    stop_.notify_all();
    signs_.join();
    if (!begun_) return;
    for (auto& link : links_) {
      try {
        link->send(header(Kind::leave));
      } catch (const PeerError&) {  // it is gone
      }
    }
  }

  void begin(const ServerPlan& plan, Tensor& parameters) {
    check_flat(parameters, plan);
    if (plan.servers() != static_cast<int64_t>(links_.size()))
      throw InvalidArgument(
          c10::str("parameter servers: the plan must be for ", links_.size(), ", got ", plan.servers()));
    if (options_.worker >= plan.workers)
      throw InvalidArgument(c10::str("worker: must be below ", plan.workers, ", got ", options_.worker));
    plan_ = plan;
    blocks_.assign(static_cast<std::size_t>(plan.blocks()), {});
    const auto text = Frame::of(plan.encode());
    ask(
        [&](std::size_t s) {
          auto hello = header(Kind::hello);
          hello.block = static_cast<int64_t>(s);
          std::vector<Frame> payload{text};
          for (int64_t b = plan.first_block(hello.block); options_.worker == 0 && b < plan.first_block(hello.block + 1);
               ++b)
            payload.push_back(Frame::of(part(parameters, b)));
          links_[s]->send(hello, std::move(payload));
          begun_ = true;
        },
        Kind::hello, "was not greeted by");
    pull(parameters);
  }

  void push(int64_t block, const Tensor& gradients, const PushOptions& options) {
    check_flat(gradients, plan_);
    if (block < 0 || block >= plan_.blocks())
      throw InvalidArgument(c10::str("push: block must be from 0 to ", plan_.blocks() - 1, ", got ", block));
    const std::lock_guard lock(mutex_);
    auto& own = blocks_[static_cast<std::size_t>(block)];
    if (own.waits)
      throw InvalidArgument(c10::str("push: block ", block, " has been pushed already; finish comes first"));
    auto push = header(Kind::push);
    push.id = id_ + 1;
    push.block = block;
    push.version = own.version;
    push.rows = options.rows;
    push.all_rows = options.all_rows;
    push.rate = options.rate;
    push.scale = options.scale;
    own.waits = true;
    own.pushed = push;
    own.gradient = Frame::of(part(gradients, block));
    bytes_sent_ += static_cast<int64_t>(own.gradient.size());
    link_of(block).send(push, {own.gradient});
  }

  PushOutcome finish(Tensor& parameters, const std::function<void(int64_t)>& arrived) {
    check_flat(parameters, plan_);
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      if (!blocks_[b].waits) throw InvalidArgument(c10::str("finish: block ", b, " must be pushed before"));
    }
    ++id_;
    PushOutcome outcome;
    receive_blocks(parameters, [&](const Header& answer) {
      switch (answer.outcome) {
        case Outcome::held:
          ++outcome.held;
          break;
        case Outcome::dropped:
          ++outcome.dropped;
          break;
        case Outcome::duplicate:
          ++outcome.duplicate;
          break;
        default:
          ++outcome.applied;
      }
      outcome.max_staleness = std::max(outcome.max_staleness, answer.staleness);
      if (arrived) arrived(answer.block);
    });
    return outcome;
  }

  void pull(Tensor& parameters) {
    check_flat(parameters, plan_);
    {
      const std::lock_guard lock(mutex_);
      for (auto& block : blocks_) {
        if (block.waits) throw InvalidArgument("pull: finish must be called for what has been pushed");
      }
      for (auto& block : blocks_) block = {.version = block.version, .waits = true, .pushed = header(Kind::pull)};
      for (auto& link : links_) link->send(header(Kind::pull));
    }
    receive_blocks(parameters, [](const Header&) {});
  }

  void rest() {
    const std::lock_guard lock(mutex_);
    for (auto& link : links_) link->send(header(Kind::rest));
  }

  void leave() {
    if (!begun_) return;
    ask([&](std::size_t s) { links_[s]->send(header(Kind::leave)); }, Kind::leave, "could not take leave of");
    begun_ = false;
  }

  const std::vector<ServerLink::Message>& ask_all(Kind kind) {
    return ask([&](std::size_t s) { links_[s]->send(header(kind)); }, kind, "got no answer of");
  }

  RangeState state() {
    RangeState whole;
    const auto& answers = ask_all(Kind::state);
    for (std::size_t s = 0; s < answers.size(); ++s) {
      const auto& answer = answers[s];
      const auto blocks = static_cast<std::size_t>(blocks_on(s));
      const auto& frames = answer.payload;
      if (frames.empty() || (frames.size() - 1) % blocks != 0)
        throw DataError(links_[s]->name() + ": sent a state that is none");
      comm::ByteReader from(frames[0].text());
      whole.numbers = from.numbers<double>();
      whole.iterations = static_cast<int64_t>(answer.header.id);
      whole.slots.resize((frames.size() - 1) / blocks);
      for (std::size_t i = 0; i + 1 < frames.size(); ++i) {
        auto& slot = whole.slots[i / blocks];
        if (!slot.defined()) slot = at::empty({plan_.elements}, at::kFloat);
        const auto block = plan_.first_block(static_cast<int64_t>(s)) + static_cast<int64_t>(i % blocks);
        check_block({.block = block}, frames[1 + i].size(), plan_, static_cast<int64_t>(s));
        part(slot, block).copy_(frames[1 + i].floats());
      }
    }
    return whole;
  }

  void set_state(const RangeState& state) {
    for (const auto& slot : state.slots) check_flat(slot, plan_);
    comm::ByteWriter numbers;
    numbers.numbers(state.numbers);
    const auto text = Frame::of(numbers.take());
    ask(
        [&](std::size_t s) {
          auto asks = header(Kind::set_state);
          asks.id = static_cast<uint64_t>(state.iterations);
          std::vector<Frame> payload{text};
          const auto first = plan_.first_block(static_cast<int64_t>(s));
          for (const auto& slot : state.slots) {
            for (int64_t b = first; b < first + blocks_on(s); ++b) payload.push_back(Frame::of(part(slot, b)));
          }
          links_[s]->send(asks, std::move(payload));
        },
        Kind::set_state, "could not set the state of");
  }

  int64_t bytes_sent() const { return bytes_sent_; }
  int64_t bytes_received() const { return bytes_received_; }

 private:
  struct Block {
    int64_t version = 0;
    bool waits = false;  // for an answer
    Header pushed = {};
    Frame gradient = {};  // kept for as long, to be sent again
    std::optional<std::pair<Header, Frame>> answer = {};
  };

  Header header(Kind kind) const { return {.kind = kind, .worker = static_cast<int32_t>(options_.worker)}; }
  ServerLink& link_of(int64_t block) { return *links_[static_cast<std::size_t>(plan_.server_of(block))]; }
  int64_t blocks_on(std::size_t s) const {
    return plan_.first_block(static_cast<int64_t>(s) + 1) - plan_.first_block(static_cast<int64_t>(s));
  }
  Tensor part(const Tensor& flat, int64_t block) const {
    return flat.narrow(0, plan_.block_begin(block), plan_.block_elements(block));
  }

  static void check_flat(const Tensor& flat, const ServerPlan& plan) {
    if (plan.server_edges.empty()) throw InvalidArgument("parameter servers: begin must be called first");
    if (flat.is_cpu() && flat.scalar_type() == at::kFloat && flat.is_contiguous() && flat.dim() == 1 &&
        flat.numel() == plan.elements)
      return;
    throw InvalidArgument(c10::str("parameter servers: must get a flat float32 buffer of ", plan.elements,
                                   " elements on the CPU, got ", flat.scalar_type(), " of ", flat.sizes()));
  }

  // Sends to all servers and waits for an answer of each.
  template <class Send>
  const std::vector<ServerLink::Message>& ask(const Send& send, Kind kind, const char* missing) {
    {
      const std::lock_guard lock(mutex_);
      expected_ = kind;
      answers_.assign(links_.size(), {});
      answered_.assign(links_.size(), false);
      for (std::size_t s = 0; s < links_.size(); ++s) send(s);
    }
    wait_until([&] { return std::find(answered_.begin(), answered_.end(), false) == answered_.end(); },
               [&](std::size_t s) { return !answered_[s]; }, missing);
    return answers_;
  }

  template <class Taken>
  void receive_blocks(Tensor& parameters, const Taken& taken) {
    std::size_t left = blocks_.size();
    std::vector<int64_t> fresh;
    while (left > 0) {
      wait_until([&] { return !fresh_.empty(); },
                 [&](std::size_t s) {
                   return std::any_of(blocks_.begin(), blocks_.end(), [&](const Block& block) {
                     return block.waits && static_cast<std::size_t>(plan_.server_of(&block - blocks_.data())) == s;
                   });
                 },
                 "waits for parameters of");
      fresh.clear();
      {
        const std::lock_guard lock(mutex_);
        fresh.swap(fresh_);
      }
      for (const auto b : fresh) {
        auto& block = blocks_[static_cast<std::size_t>(b)];
        const auto [answer, values] = *std::exchange(block.answer, std::nullopt);
        std::memcpy(parameters.mutable_data_ptr<float>() + plan_.block_begin(b), values.data(), values.size());
        block.version = answer.version;
        --left;
        taken(answer);
      }
    }
  }

  // `misses(s)`: whether server s is among those that are waited for.
  template <class Done, class Misses>
  void wait_until(const Done& done, const Misses& misses, const char* what) {
    const double begin = steady_seconds();
    std::vector<zmq::pollitem_t> items;
    for (auto& link : links_) items.push_back({link->socket(), 0, ZMQ_POLLIN, 0});
    for (bool first = true;; first = false) {
      const std::lock_guard lock(mutex_);
      if (!first) zmq::poll(items, kPollFor);
      const double now = steady_seconds();
      for (std::size_t s = 0; s < links_.size(); ++s) take_in(s);
      if (done()) return;
      for (std::size_t s = 0; s < links_.size(); ++s) {
        if (!failures_[s].empty()) throw PeerError(failures_[s]);
        links_[s]->check(now);
        if (links_[s]->has_come_back()) send_again(s);
        links_[s]->ping(options_.worker, now);
        if (now - begin > options_.wait_seconds && misses(s)) throw_late(s, what);
      }
    }
  }

  [[noreturn]] void throw_late(std::size_t s, const char* what) const {
    const auto& link = *links_[s];
    const auto why = !link.connected()          ? std::string(", which cannot be reached")
                     : link.waits_for().empty() ? std::string()
                                                : ", which waits for " + link.waits_for();
    throw PeerError(
        c10::str("worker ", options_.worker, " ", what, " ", link.name(), " after ", options_.wait_seconds, " s", why));
  }

  void take_in(std::size_t s) {
    while (auto message = links_[s]->receive()) {
      const auto& header = message->header;
      if (header.kind == Kind::error) {
        failures_[s] = c10::str(links_[s]->name(), ": ", message->payload.empty() ? "" : message->payload[0].text());
      } else if (header.kind == Kind::params) {
        take_block(s, *message);
      } else if (header.kind == expected_ && !answered_[s]) {
        answered_[s] = true;
        answers_[s] = std::move(*message);
      }
    }
  }

  void take_block(std::size_t s, ServerLink::Message& message) {
    const auto& header = message.header;
    if (message.payload.size() != 1) return;
    check_block(header, message.payload[0].size(), plan_, static_cast<int64_t>(s));
    auto& block = blocks_[static_cast<std::size_t>(header.block)];
    if (!block.waits || block.pushed.id != header.id) return;  // a second answer to what was sent again
    bytes_received_ += static_cast<int64_t>(message.payload[0].size());
    block.waits = false;
    block.gradient = {};
    block.answer = {header, std::move(message.payload[0])};
    fresh_.push_back(header.block);
  }

  // What was not answered: servers know pushes by their ids.
  void send_again(std::size_t s) {
    const auto server = static_cast<int64_t>(s);
    bool pulls = false;
    for (int64_t b = plan_.first_block(server); b < plan_.first_block(server + 1); ++b) {
      const auto& block = blocks_[static_cast<std::size_t>(b)];
      if (!block.waits) continue;
      if (block.pushed.kind == Kind::push) links_[s]->send(block.pushed, {block.gradient});
      pulls = pulls || block.pushed.kind == Kind::pull;
    }
    if (pulls) links_[s]->send(header(Kind::pull));
  }

  void give_signs() {
    std::unique_lock stop(stop_mutex_);
    while (!stop_.wait_for(stop, kSignEvery, [&] { return stopping_; })) {
      const std::unique_lock lock(mutex_, std::try_to_lock);
      if (!lock.owns_lock()) continue;  // who holds it gives them
      for (std::size_t s = 0; s < links_.size(); ++s) {
        try {
          links_[s]->ping(options_.worker, steady_seconds());
          take_in(s);
        } catch (const Error& error) {  // the next wait says it
          failures_[s] = error.what();
        }
      }
    }
  }

  const ClientOptions options_;
  std::vector<std::unique_ptr<ServerLink>> links_;
  std::vector<std::string> failures_ = std::vector<std::string>(options_.servers.size());
  ServerPlan plan_;
  bool begun_ = false;
  uint64_t id_ = 0;   // of the last push that was finished
  std::mutex mutex_;  // guards links and what follows
  std::vector<Block> blocks_;
  std::vector<int64_t> fresh_;  // blocks whose answer has not been written yet
  Kind expected_ = Kind::hello;
  std::vector<ServerLink::Message> answers_;
  std::vector<bool> answered_ = std::vector<bool>(options_.servers.size(), true);
  std::atomic<int64_t> bytes_sent_ = 0, bytes_received_ = 0;
  std::mutex stop_mutex_;
  std::condition_variable stop_;
  bool stopping_ = false;
  std::thread signs_;
};

ServerClient::ServerClient(ClientOptions options) : body_(std::make_unique<Body>(std::move(options))) {}
ServerClient::~ServerClient() = default;
void ServerClient::begin(const ServerPlan& plan, Tensor& parameters) { body_->begin(plan, parameters); }
void ServerClient::push(int64_t block, const Tensor& gradients, const PushOptions& options) {
  body_->push(block, gradients, options);
}
PushOutcome ServerClient::finish(Tensor& parameters, const std::function<void(int64_t)>& arrived) {
  return body_->finish(parameters, arrived);
}
void ServerClient::pull(Tensor& parameters) { body_->pull(parameters); }
void ServerClient::rest() { body_->rest(); }
void ServerClient::leave() { body_->leave(); }
RangeState ServerClient::state() { return body_->state(); }
void ServerClient::set_state(const RangeState& state) { body_->set_state(state); }
std::vector<ServerFigures> ServerClient::figures() {
  std::vector<ServerFigures> all;
  for (const auto& answer : body_->ask_all(Kind::figures))
    all.push_back(ServerFigures::decode(answer.payload.empty() ? "" : answer.payload[0].text()));
  return all;
}
int64_t ServerClient::bytes_sent() const { return body_->bytes_sent(); }
int64_t ServerClient::bytes_received() const { return body_->bytes_received(); }

}  // namespace tandem::servers
