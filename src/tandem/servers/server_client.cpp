#include "tandem/servers/server_client.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <map>

#include "tandem/core/error.h"
#include "tandem/servers/client_blocks.h"
#include "tandem/servers/saved_updates.h"
#include "tandem/servers/server_links.h"
#include "tandem/servers/state_frames.h"

namespace tandem::servers {
namespace {

void check_client(const ClientOptions& options) {
  if (options.servers.empty()) throw InvalidArgument("parameter servers: there must be one, got no address");
  if (options.worker < 0) throw InvalidArgument(c10::str("worker: must be at least 0, got ", options.worker));
}

void check_flat(const Tensor& flat, const ServerPlan& plan) {
  if (plan.server_edges.empty()) throw InvalidArgument("parameter servers: begin must be called first");
  if (flat.is_cpu() && flat.scalar_type() == at::kFloat && flat.is_contiguous() && flat.dim() == 1 &&
      flat.numel() == plan.elements)
    return;
  throw InvalidArgument(c10::str("parameter servers: must get a flat float32 buffer of ", plan.elements,
                                 " elements on the CPU, got ", flat.scalar_type(), " of ", flat.sizes()));
}

}  // namespace

class ServerClient::Body {
 public:
  explicit Body(const ClientOptions& options)
      : worker_((check_client(options), options.worker)),
        begin_seconds_(std::min(options.begin_seconds, options.wait_seconds)),
        links_(options, [this](std::size_t s, ServerLink::Message& message) { take(s, message); }) {}

  ~Body() {
    const auto lock = links_.lock();
    for (std::size_t s = 0; begun_ && s < links_.count(); ++s) {
      try {
        auto leaves = header(Kind::leave);
        leaves.id = links_.failed() ? 1 : 0;
        links_.send(s, leaves);
      } catch (const std::exception&) {  // it is gone
      }
    }
  }

  void begin(const ServerPlan& plan, Tensor& parameters) {
    check_flat(parameters, plan);
    if (plan.servers() != static_cast<int64_t>(links_.count()))
      throw InvalidArgument(
          c10::str("parameter servers: the plan must be for ", links_.count(), ", got one for ", plan.servers()));
    if (worker_ >= plan.workers)
      throw InvalidArgument(c10::str("worker: must be below ", plan.workers, ", got ", worker_));
    {
      const auto lock = links_.lock();
      plan_ = plan;
      blocks_ = ClientBlocks(plan);
      begun_ = true;
    }
    const auto text = Frame::of(plan.encode());
    ask(Kind::hello, "was not greeted by", [&](std::size_t s) {
      auto hello = header(Kind::hello);
      hello.block = static_cast<int64_t>(s);
      std::vector<Frame> payload{text};
      if (worker_ == 0) {
        const auto blocks = frames_of(parameters, hello.block);
        payload.insert(payload.end(), blocks.begin(), blocks.end());
      }
      links_.send(s, hello, std::move(payload));
    });
    answer_offers();
    resumed_ = answers_.front().header.version;
    for (const auto& greeted : answers_) resumed_ = std::min(resumed_, greeted.header.version);
    pull(parameters, 0);
  }

  int64_t resumed() const { return resumed_; }

  void push(int64_t block, const Tensor& gradients, const PushOptions& options) {
    check_flat(gradients, plan_);
    if (block < 0 || block >= plan_.blocks())
      throw InvalidArgument(c10::str("push: block must be from 0 to ", plan_.blocks() - 1, ", got ", block));
    const auto lock = links_.lock();
    if (blocks_.waits(block))
      throw InvalidArgument(c10::str("push: block ", block, " has been pushed already; finish comes first"));
    auto push = header(Kind::push);
    push.id = id_ + 1;
    push.block = block;
    push.rows = options.rows;
    push.all_rows = options.all_rows;
    push.rate = options.rate;
    push.scale = options.scale;
    const auto& question = blocks_.ask(push, Frame::of(blocks_.part(gradients, block)));
    links_.send(static_cast<std::size_t>(plan_.server_of(block)), question.header, {question.gradient});
  }

  PushOutcome finish(Tensor& parameters, const std::function<void(int64_t)>& arrived) {
    check_flat(parameters, plan_);
    for (int64_t b = 0; b < plan_.blocks(); ++b) {
      const auto lock = links_.lock();
      if (!blocks_.is_asked(b)) throw InvalidArgument(c10::str("finish: block ", b, " must be pushed before"));
    }
    ++id_;
    PushOutcome outcome;
    std::map<int64_t, int64_t> dropped_by;  // by server: the version that it answered with
    bool of_one_version = true;             // not where a connection broke meanwhile
    const auto taken = [&](const Header& answer) {
      ++(answer.outcome == Outcome::held        ? outcome.held
         : answer.outcome == Outcome::dropped   ? outcome.dropped
         : answer.outcome == Outcome::duplicate ? outcome.duplicate
                                                : outcome.applied);
      if (answer.outcome == Outcome::dropped) {
        const auto [found, is_new] = dropped_by.emplace(plan_.server_of(answer.block), answer.version);
        of_one_version = of_one_version && found->second == answer.version;
      }
      outcome.max_staleness = std::max(outcome.max_staleness, answer.staleness);
      if (arrived) arrived(answer.block);
    };
    // Each server takes the gradients that come to it first. Workers that wait, one for this server and one for that,
    // to whom the other one has made them too late, might do so for ever.
    const auto too_late = [&] {
      bool misses_others = false;
      for (int64_t s = 0; s < plan_.servers(); ++s) {
        if (blocks_.first_missing(s) < 0) continue;
        if (dropped_by.contains(s)) return false;
        misses_others = true;
      }
      return misses_others && !dropped_by.empty();
    };
    if (receive_blocks(parameters, taken, too_late) && of_one_version) return outcome;
    {
      const auto lock = links_.lock();
      blocks_.forget();
    }
    rest(0);
    pull(parameters, pass_);
    for (int64_t b = 0; arrived && b < plan_.blocks(); ++b) arrived(b);
    return outcome;
  }

  void pull(Tensor& parameters, int64_t pass) {
    check_flat(parameters, plan_);
    pass_ = pass;
    {
      const auto lock = links_.lock();
      auto pull = header(Kind::pull);
      pull.id = ++pulls_;
      for (pull.block = 0; pull.block < plan_.blocks(); ++pull.block) {
        if (blocks_.is_asked(pull.block)) throw InvalidArgument("pull: finish must be called for what has been pushed");
        blocks_.ask(pull, {});
      }
      for (std::size_t s = 0; s < links_.count(); ++s) send_pull(s);
    }
    receive_blocks(
        parameters, [](const Header&) {}, [] { return false; });
  }

  void rest(int64_t pass) {
    const auto lock = links_.lock();
    auto rests = header(Kind::rest);
    rests.version = pass;
    for (std::size_t s = 0; s < links_.count(); ++s) links_.send(s, rests);
  }

  void give_up() {
    links_.abort("");
    {
      const auto lock = links_.lock();
      blocks_.forget();
      ++id_;
    }
    rest(0);
    ask_all(Kind::figures);  // answered after what came before
  }

  void abort(const std::string& reason) { links_.abort(reason); }

  void leave() {
    if (!begun_) return;
    ask_all(Kind::leave, "could not take leave of");
    begun_ = false;
  }

  const std::vector<ServerLink::Message>& ask_all(Kind kind, const char* missing = "got no answer of") {
    return ask(kind, missing, [&](std::size_t s) { links_.send(s, header(kind)); });
  }

  RangeState state() {
    RangeState whole;
    const auto& answers = ask_all(Kind::state);
    for (std::size_t s = 0; s < answers.size(); ++s) {
      auto frames = answers[s].payload;
      frames.insert(frames.begin(), Frame());
      const auto server = static_cast<int64_t>(s);
      const auto part = state_of(static_cast<int64_t>(answers[s].header.id), frames, plan_, server);
      whole.iterations = part.iterations;
      whole.numbers = part.numbers;
      while (whole.slots.size() < part.slots.size()) whole.slots.push_back(at::empty({plan_.elements}, at::kFloat));
      for (std::size_t i = 0; i < part.slots.size(); ++i)
        whole.slots[i].narrow(0, plan_.server_begin(server), part.slots[i].numel()).copy_(part.slots[i]);
    }
    return whole;
  }

  void set_state(const RangeState& state) {
    for (const auto& slot : state.slots) check_flat(slot, plan_);
    ask(Kind::set_state, "could not set the state of", [&](std::size_t s) {
      auto sets = header(Kind::set_state);
      sets.id = static_cast<uint64_t>(state.iterations);
      links_.send(s, sets, servers::frames_of(state, plan_, static_cast<int64_t>(s), 0));
    });
  }

  void set_parameters(const Tensor& parameters) {
    check_flat(parameters, plan_);
    ask(Kind::set_parameters, "could not set the parameters of", [&](std::size_t s) {
      const auto server = static_cast<int64_t>(s);
      links_.send(s, header(Kind::set_parameters), frames_of(parameters, server));
    });
  }

  void average() {
    ++averages_;
    ask(Kind::average, "waits for an average of", [&](std::size_t s) {
      auto asks = header(Kind::average);
      asks.id = averages_;
      links_.send(s, asks);
    });
  }

  int64_t bytes_sent() {
    const auto lock = links_.lock();
    return blocks_.bytes_sent();
  }
  int64_t bytes_received() {
    const auto lock = links_.lock();
    return blocks_.bytes_received();
  }

 private:
  std::vector<Frame> frames_of(const Tensor& parameters, int64_t server) const {
    std::vector<Frame> frames;
    for (int64_t b = plan_.first_block(server); b < plan_.first_block(server + 1); ++b)
      frames.push_back(Frame::of(blocks_.part(parameters, b)));
    return frames;
  }

  // Servers that save ask worker 0 in mode sync of which update they are to go on.
  void answer_offers() {
    std::vector<std::optional<std::vector<int64_t>>> saved(answers_.size());
    std::vector<std::string> names;
    for (std::size_t s = 0; s < answers_.size(); ++s) {
      if (answers_[s].payload.size() > 1) saved[s] = decode_saved(answers_[s].payload[1].text());
      names.push_back(links_.name(s));
    }
    if (std::none_of(saved.begin(), saved.end(), [](const auto& one) { return one.has_value(); })) return;
    const auto version = common_update(saved, names);
    ask(Kind::hello, "was not greeted by", [&](std::size_t s) {
      auto resume = header(Kind::resume);
      resume.version = version;
      links_.send(s, resume);
    });
  }

  Header header(Kind kind) const { return {.kind = kind, .worker = static_cast<int32_t>(worker_)}; }

  void send_pull(std::size_t s) {
    auto pull = header(Kind::pull);
    pull.id = pulls_;
    pull.version = pass_;
    links_.send(s, pull);
  }

  // Asks all servers and waits for an answer of each.
  template <class Send>
  const std::vector<ServerLink::Message>& ask(Kind kind, const char* missing, const Send& send) {
    {
      const auto lock = links_.lock();
      expected_ = kind;
      answers_.assign(links_.count(), {});
      answered_.assign(links_.count(), false);
      for (std::size_t s = 0; s < links_.count(); ++s) send(s);
    }
    links_.wait_until({.done = [&] { return std::find(answered_.begin(), answered_.end(), false) == answered_.end(); },
                       .misses = [&](std::size_t s) { return !answered_[s]; },
                       .again =
                           [&](std::size_t s) {
                             if (!answered_[s]) send(s);
                           },
                       .what = missing,
                       .seconds = kind == Kind::hello ? begin_seconds_ : 0});
    return answers_;
  }

  // False: before all were there it was `enough`.
  template <class Taken, class Enough>
  bool receive_blocks(Tensor& parameters, const Taken& taken, const Enough& enough) {
    for (int64_t left = plan_.blocks(); left > 0;) {
      links_.wait_until({.done = [&] { return blocks_.any_arrived(); },
                         .misses = [&](std::size_t s) { return blocks_.first_missing(static_cast<int64_t>(s)) >= 0; },
                         .again = [&](std::size_t s) { send_again(s); },
                         .what = "waits for parameters of"});
      std::vector<ClientBlocks::Arrived> arrived;
      {
        const auto lock = links_.lock();
        arrived = blocks_.take_arrived();
      }
      for (const auto& [answer, values] : arrived) {
        ClientBlocks::write(values, blocks_.part(parameters, answer.block));
        --left;
        taken(answer);
      }
      const auto lock = links_.lock();
      if (left > 0 && enough()) return false;
    }
    return true;
  }

  // What was not answered: servers know pushes by their ids.
  void send_again(std::size_t s) {
    bool pulls = false;
    for (const auto& question : blocks_.unanswered(static_cast<int64_t>(s))) {
      if (question.header.kind == Kind::push) links_.send(s, question.header, {question.gradient});
      pulls = pulls || question.header.kind == Kind::pull;
    }
    if (pulls) send_pull(s);
  }

  void take(std::size_t s, ServerLink::Message& message) {
    if (message.header.kind == Kind::params) {
      if (message.payload.size() == 1) blocks_.answer(message.header, message.payload[0], static_cast<int64_t>(s));
    } else if (s < answered_.size() && message.header.kind == expected_ && !answered_[s]) {
      // One that was asked for twice, by a connection that was made anew, is answered twice.
      if (expected_ == Kind::average && message.header.id != averages_) return;
      answered_[s] = true;
      answers_[s] = std::move(message);
    }
  }

  const int64_t worker_;
  const double begin_seconds_;
  ServerPlan plan_;
  bool begun_ = false;
  int64_t resumed_ = 0;
  uint64_t id_ = 0;                    // of the last push that was finished
  uint64_t pulls_ = 0, averages_ = 0;  // so far
  int64_t pass_ = 0;                   // of the last pull
  // Guarded by the lock of links_:
  ClientBlocks blocks_;
  Kind expected_ = Kind::hello;
  std::vector<ServerLink::Message> answers_;
  std::vector<bool> answered_;
  ServerLinks links_;  // last: its thread uses the others
};

ServerClient::ServerClient(const ClientOptions& options) : body_(std::make_unique<Body>(options)) {}
ServerClient::~ServerClient() = default;
void ServerClient::begin(const ServerPlan& plan, Tensor& parameters) { body_->begin(plan, parameters); }
int64_t ServerClient::resumed() const { return body_->resumed(); }
void ServerClient::push(int64_t block, const Tensor& gradients, const PushOptions& options) {
  body_->push(block, gradients, options);
}
PushOutcome ServerClient::finish(Tensor& parameters, const std::function<void(int64_t)>& arrived) {
  return body_->finish(parameters, arrived);
}
void ServerClient::pull(Tensor& parameters, int64_t pass) { body_->pull(parameters, pass); }
void ServerClient::set_parameters(const Tensor& parameters) { body_->set_parameters(parameters); }
void ServerClient::average() { body_->average(); }
void ServerClient::rest(int64_t pass) { body_->rest(pass); }
void ServerClient::give_up() { body_->give_up(); }
void ServerClient::abort(const std::string& reason) { body_->abort(reason); }
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
