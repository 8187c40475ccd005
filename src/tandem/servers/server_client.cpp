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

void check_floats(const Tensor& values, int64_t elements, int64_t axes) {
  if (values.is_cpu() && values.scalar_type() == at::kFloat && values.is_contiguous() && values.dim() == axes &&
      values.numel() == elements)
    return;
  throw InvalidArgument(c10::str("parameter servers: must get a flat float32 buffer of ", elements,
                                 " elements on the CPU, got ", values.scalar_type(), " of ", values.sizes()));
}

void check_flat(const Tensor& flat, const ServerPlan& plan) {
  if (plan.server_edges.empty()) throw InvalidArgument("parameter servers: begin must be called first");
  check_floats(flat, plan.dense_elements(), 1);
}

void check_tables(const std::vector<Tensor>& tables, const ServerPlan& plan) {
  std::size_t i = 0;
  for (const auto& weight : plan.weights) {
    if (!weight.is_table) continue;
    if (i == tables.size()) throw InvalidArgument(c10::str("parameter servers: must get table '", weight.name, "'"));
    check_floats(tables[i], weight.count(), tables[i].dim());
    ++i;
  }
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

  void begin(const ServerPlan& plan, Tensor& parameters, const std::vector<Tensor>& tables) {
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
    ask(Kind::hello, "was not greeted by", [&](std::size_t s) {
      auto hello = header(Kind::hello);
      hello.block = static_cast<int64_t>(s);
      std::vector<Frame> payload{text};
      if (worker_ == 0) {
        const auto blocks = frames_of(parameters, tables, hello.block);
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
    if (plan_.table_of(block)) throw InvalidArgument(c10::str("push: block ", block, " is of a table's rows"));
    push_block(block, {Frame::of(blocks_.part(gradients, block))}, options);
  }

  void push_rows(std::size_t table, const RowGradient& gradient, const PushOptions& options) {
    check_rows(table, gradient.rows);
    check_floats(gradient.values, gradient.count() * plan_.weights[table].row(), 2);
    for_each_part(table, gradient, [&](int64_t block, const RowGradient& part) {
      push_block(block, {Frame::of(encode_rows(part.rows)), Frame::of(part.values)}, options);
    });
  }

  Tensor pull_rows(std::size_t table, const Tensor& rows) {
    check_rows(table, rows);
    Tensor values = at::empty({rows.numel(), plan_.weights[table].row()}, at::kFloat);
    std::vector<std::pair<int64_t, Tensor>> parts;
    for_each_part(table, {rows, values}, [&](int64_t block, const RowGradient& part) {
      if (part.count() == 0) return;
      ask_rows(block, {Frame::of(encode_rows(part.rows))});
      parts.emplace_back(block, part.values);
    });
    receive_rows(parts);
    return values;
  }

  void pull_table(std::size_t table, Tensor& values) {
    check_rows(table, at::empty({0}, at::kLong));
    check_floats(values, plan_.weights[table].count(), values.dim());
    const auto [first, last] = blocks_of(table);
    for (int64_t block = first; block < last; ++block) {
      ask_rows(block, {});
      receive_rows({{block, part_of(values, table, block)}});
    }
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
    for (const auto& slot : state.slots) check_floats(slot, plan_.elements, 1);
    ask(Kind::set_state, "could not set the state of", [&](std::size_t s) {
      auto sets = header(Kind::set_state);
      sets.id = static_cast<uint64_t>(state.iterations);
      links_.send(s, sets, servers::frames_of(state, plan_, static_cast<int64_t>(s), 0));
    });
  }

  void set_parameters(const Tensor& parameters, const std::vector<Tensor>& tables) {
    check_flat(parameters, plan_);
    check_tables(tables, plan_);
    ask(Kind::set_parameters, "could not set the parameters of", [&](std::size_t s) {
      const auto server = static_cast<int64_t>(s);
      links_.send(s, header(Kind::set_parameters), frames_of(parameters, tables, server));
    });
  }

  void average(int64_t round) {
    ++averages_;
    ask(Kind::average, "waits for an average of", [&](std::size_t s) {
      auto asks = header(Kind::average);
      asks.id = averages_;
      asks.version = round;
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
  std::vector<Frame> frames_of(const Tensor& parameters, const std::vector<Tensor>& tables, int64_t server) const {
    std::vector<Frame> frames;
    const std::size_t first_table = plan_.weights.size() - tables.size();
    for (int64_t b = plan_.first_block(server); b < plan_.first_block(server + 1); ++b) {
      const auto table = plan_.table_of(b);
      frames.push_back(
          Frame::of(table ? part_of(tables[*table - first_table], *table, b) : blocks_.part(parameters, b)));
    }
    return frames;
  }

  // Of a table's values, flat.
  Tensor part_of(const Tensor& values, std::size_t table, int64_t block) const {
    const int64_t begin = plan_.block_begin(block) - plan_.weights[table].offset;
    return values.view({-1}).narrow(0, begin, plan_.block_elements(block));
  }

  std::pair<int64_t, int64_t> blocks_of(std::size_t table) const {
    const auto& edges = plan_.block_edges;
    const auto& weight = plan_.weights[table];
    const auto first = std::lower_bound(edges.begin(), edges.end(), weight.offset);
    return {first - edges.begin(),
            std::lower_bound(first, edges.end(), weight.offset + weight.count()) - edges.begin()};
  }

  // Throws unless it is a table's number and the rows rise within it.
  void check_rows(std::size_t table, const Tensor& rows) const {
    if (table >= plan_.weights.size() || !plan_.weights[table].is_table)
      throw InvalidArgument(c10::str("parameter servers: weight ", table, " must be a table"));
    if (rows.scalar_type() != at::kLong || rows.dim() != 1 || !rows.is_contiguous())
      throw InvalidArgument("parameter servers: rows must be int64 (n,)");
    const auto* values = rows.const_data_ptr<int64_t>();
    for (int64_t i = 0; i < rows.numel(); ++i) {
      if (values[i] >= (i == 0 ? 0 : values[i - 1] + 1) && values[i] < plan_.weights[table].shape[0]) continue;
      throw InvalidArgument(c10::str("parameter servers: rows of table '", plan_.weights[table].name,
                                     "' must rise from 0 to at most ", plan_.weights[table].shape[0] - 1, ", got ",
                                     values[i]));
    }
  }

  // Calls take(block, part) for each block of the table, also where it has none of the rows.
  template <class Take>
  void for_each_part(std::size_t table, const RowGradient& all, const Take& take) {
    const auto& weight = plan_.weights[table];
    const auto [first, last] = blocks_of(table);
    for (int64_t block = first; block < last; ++block) {
      const int64_t begin = (plan_.block_begin(block) - weight.offset) / weight.row();
      take(block, all.part(begin, begin + plan_.block_rows(block)));
    }
  }

  void push_block(int64_t block, std::vector<Frame> payload, const PushOptions& options) {
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
    const auto& question = blocks_.ask(push, std::move(payload));
    links_.send(static_cast<std::size_t>(plan_.server_of(block)), question.header, question.payload);
  }

  void ask_rows(int64_t block, std::vector<Frame> payload) {
    const auto lock = links_.lock();
    if (blocks_.is_asked(block))
      throw InvalidArgument(c10::str("rows: block ", block, " has been pushed; finish comes first"));
    auto asks = header(Kind::rows);
    asks.id = ++pulls_;
    asks.block = block;
    const auto& question = blocks_.ask(asks, std::move(payload));
    links_.send(static_cast<std::size_t>(plan_.server_of(block)), question.header, question.payload);
  }

  // Of blocks that were asked for rows, and where these go.
  void receive_rows(const std::vector<std::pair<int64_t, Tensor>>& parts) {
    for (std::size_t left = parts.size(); left > 0;) {
      for (const auto& [answer, values] : receive(Kind::rows)) {
        const auto part = std::find_if(parts.begin(), parts.end(),
                                       [block = answer.block](const auto& one) { return one.first == block; });
        ClientBlocks::write(values, part->second);
        --left;
      }
    }
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
      for (const auto& [answer, values] : receive(Kind::params)) {
        if (!plan_.table_of(answer.block)) ClientBlocks::write(values, blocks_.part(parameters, answer.block));
        --left;
        taken(answer);
      }
      const auto lock = links_.lock();
      if (left > 0 && enough()) return false;
    }
    return true;
  }

  std::vector<ClientBlocks::Arrived> receive(Kind kind) {
    links_.wait_until({.done = [&] { return blocks_.any_arrived(kind); },
                       .misses = [&](std::size_t s) { return blocks_.first_missing(static_cast<int64_t>(s)) >= 0; },
                       .again = [&](std::size_t s) { send_again(s); },
                       .what = "waits for parameters of"});
    const auto lock = links_.lock();
    return blocks_.take_arrived(kind);
  }

  // What was not answered: servers know pushes by their ids.
  void send_again(std::size_t s) {
    bool pulls = false;
    for (const auto& question : blocks_.unanswered(static_cast<int64_t>(s))) {
      if (question.header.kind != Kind::pull) links_.send(s, question.header, question.payload);
      pulls = pulls || question.header.kind == Kind::pull;
    }
    if (pulls) send_pull(s);
  }

  void take(std::size_t s, ServerLink::Message& message) {
    if (message.header.kind == Kind::params || message.header.kind == Kind::rows) {
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
