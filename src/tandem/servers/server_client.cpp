#include "tandem/servers/server_client.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <optional>

#include "tandem/core/error.h"
#include "tandem/servers/client_tensors.h"
#include "tandem/servers/saved_updates.h"
#include "tandem/servers/server_client_body.h"
#include "tandem/servers/state_frames.h"

namespace tandem::servers {
namespace {

void check_client(const ClientOptions& options) {
  if (options.worker < 0) throw InvalidArgument(c10::str("worker: must be at least 0, got ", options.worker));
}

}  // namespace

ServerClient::Body::Body(const ClientOptions& options)
    : worker_((check_client(options), options.worker)),
      begin_seconds_(std::min(options.begin_seconds, options.wait_seconds)),
      answers_(links_),
      links_(options, [this](std::size_t s, ServerLink::Message& message) { take(s, message); }) {}

ServerClient::Body::~Body() {
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

void ServerClient::Body::begin(const ServerPlan& plan, Tensor& parameters, const std::vector<Tensor>& tables) {
  if (plan.server_edges.empty())
    throw InvalidArgument("parameter servers: the plan must be of divide_among_servers, got one without servers");
  check_flat(parameters, plan);
  if (worker_ == 0) check_tables(tables, plan);
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
  ++begins_;
  answers_.ask(Kind::hello, "was not greeted by", begin_seconds_, [&](std::size_t s) {
    auto hello = header(Kind::hello);
    hello.id = begins_;
    hello.block = static_cast<int64_t>(s);
    std::vector<Frame> payload{text};
    if (worker_ == 0) {
      const auto blocks = frames_of(parameters, tables, hello.block);
      payload.insert(payload.end(), blocks.begin(), blocks.end());
    }
    links_.send(s, hello, std::move(payload));
  });
  answer_offers();
  greeted_ = true;
  for (const auto& greeted : answers_.all()) resumed_ = std::max(resumed_, greeted.header.version);
  pull(parameters, 0);
}

void ServerClient::Body::check_begun() const {
  if (!begun_) throw InvalidArgument("parameter servers: begin must be called first");
}

void ServerClient::Body::give_up() {
  check_begun();
  links_.abort("");
  {
    const auto lock = links_.lock();
    blocks_.forget();
    ++id_;
  }
  if (!greeted_) return;  // nothing was pushed
  rest(0);
  ask_all(Kind::figures);  // answered after what came before
}

void ServerClient::Body::leave() {
  if (!begun_) return;
  ask_all(Kind::leave, "could not take leave of");
  begun_ = false;
}

RangeState ServerClient::Body::state() {
  check_begun();
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

void ServerClient::Body::set_state(const RangeState& state) {
  check_begun();
  for (const auto& slot : state.slots) check_floats(slot, plan_.elements, 1);
  answers_.ask(Kind::set_state, "could not set the state of", 0, [&](std::size_t s) {
    auto sets = header(Kind::set_state);
    sets.id = static_cast<uint64_t>(state.iterations);
    links_.send(s, sets, servers::frames_of(state, plan_, static_cast<int64_t>(s), 0));
  });
}

void ServerClient::Body::set_parameters(const Tensor& parameters, const std::vector<Tensor>& tables) {
  check_begun();
  check_flat(parameters, plan_);
  check_tables(tables, plan_);
  answers_.ask(Kind::set_parameters, "could not set the parameters of", 0, [&](std::size_t s) {
    const auto server = static_cast<int64_t>(s);
    links_.send(s, header(Kind::set_parameters), frames_of(parameters, tables, server));
  });
}

void ServerClient::Body::average(int64_t round) {
  check_begun();
  if (round < 0) throw InvalidArgument(c10::str("average: round must be at least 0, got ", round));
  ++averages_;
  answers_.ask(Kind::average, "waits for an average of", 0, [&](std::size_t s) {
    auto asks = header(Kind::average);
    asks.id = averages_;
    asks.version = round;
    links_.send(s, asks);
  });
}

int64_t ServerClient::Body::bytes_sent() {
  const auto lock = links_.lock();
  return blocks_.bytes_sent();
}

int64_t ServerClient::Body::bytes_received() {
  const auto lock = links_.lock();
  return blocks_.bytes_received();
}

std::vector<Frame> ServerClient::Body::frames_of(const Tensor& parameters, const std::vector<Tensor>& tables,
                                                 int64_t server) const {
  std::vector<Frame> frames;
  const std::size_t first_table = plan_.weights.size() - tables.size();
  for (int64_t b = plan_.first_block(server); b < plan_.first_block(server + 1); ++b) {
    const auto table = plan_.table_of(b);
    frames.push_back(
        Frame::of(table ? table_part(tables[*table - first_table], *table, b, plan_) : blocks_.part(parameters, b)));
  }
  return frames;
}

void ServerClient::Body::answer_offers() {
  const auto& greeted = answers_.all();
  std::vector<std::optional<std::vector<int64_t>>> saved(greeted.size());
  std::vector<std::string> names;
  for (std::size_t s = 0; s < greeted.size(); ++s) {
    if (greeted[s].payload.size() > 1) saved[s] = decode_saved(greeted[s].payload[1].text());
    names.push_back(links_.name(s));
  }
  if (std::none_of(saved.begin(), saved.end(), [](const auto& one) { return one.has_value(); })) return;
  const auto version = common_update(saved, names);
  answers_.ask(Kind::hello, "was not greeted by", begin_seconds_, [&](std::size_t s) {
    auto resume = header(Kind::resume);
    resume.version = version;
    links_.send(s, resume);
  });
}

void ServerClient::Body::take(std::size_t s, ServerLink::Message& message) {
  const auto kind = message.header.kind;
  if (kind == Kind::params || kind == Kind::rows) {
    if (message.payload.size() == 1) blocks_.answer(message.header, message.payload[0], static_cast<int64_t>(s));
  } else if (answers_.expects(s, kind) && (kind != Kind::average || message.header.id == averages_)) {
    // One that was asked for twice, by a connection that was made anew, is answered twice.
    answers_.take(s, message);
  }
}

const std::vector<ServerLink::Message>& ServerClient::Body::ask_all(Kind kind, const char* missing) {
  return answers_.ask(kind, missing, 0, [&](std::size_t s) { links_.send(s, header(kind)); });
}

std::vector<ServerFigures> ServerClient::Body::figures() {
  check_begun();
  std::vector<ServerFigures> all;
  for (const auto& answer : ask_all(Kind::figures))
    all.push_back(ServerFigures::decode(answer.payload.empty() ? "" : answer.payload[0].text()));
  return all;
}

ServerClient::ServerClient(const ClientOptions& options) : body_(std::make_unique<Body>(options)) {}
ServerClient::~ServerClient() = default;
void ServerClient::begin(const ServerPlan& plan, Tensor& parameters, const std::vector<Tensor>& tables) {
  body_->begin(plan, parameters, tables);
}
int64_t ServerClient::resumed() const { return body_->resumed(); }
void ServerClient::push(int64_t block, const Tensor& gradients, const PushOptions& options) {
  body_->push(block, gradients, options);
}
void ServerClient::push_rows(std::size_t table, const RowGradient& gradient, const PushOptions& options) {
  body_->push_rows(table, gradient, options);
}
PushOutcome ServerClient::finish(Tensor& parameters, const std::function<void(int64_t)>& arrived) {
  return body_->finish(parameters, arrived);
}
void ServerClient::pull(Tensor& parameters, int64_t pass) { body_->pull(parameters, pass); }
Tensor ServerClient::pull_rows(std::size_t table, const Tensor& rows) { return body_->pull_rows(table, rows); }
void ServerClient::pull_table(std::size_t table, Tensor& values) { body_->pull_table(table, values); }
void ServerClient::set_parameters(const Tensor& parameters, const std::vector<Tensor>& tables) {
  body_->set_parameters(parameters, tables);
}
void ServerClient::average(int64_t round) { body_->average(round); }
void ServerClient::rest(int64_t pass) { body_->rest(pass); }
void ServerClient::give_up() { body_->give_up(); }
void ServerClient::abort(const std::string& reason) { body_->abort(reason); }
bool ServerClient::servers_stop() const { return body_->servers_stop(); }
void ServerClient::leave() { body_->leave(); }
RangeState ServerClient::state() { return body_->state(); }
void ServerClient::set_state(const RangeState& state) { body_->set_state(state); }
std::vector<ServerFigures> ServerClient::figures() { return body_->figures(); }
int64_t ServerClient::bytes_sent() const { return body_->bytes_sent(); }
int64_t ServerClient::bytes_received() const { return body_->bytes_received(); }

}  // namespace tandem::servers
