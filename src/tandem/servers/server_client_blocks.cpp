// The blocks of a worker's parameters and gradients on their ways.
#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tandem/core/error.h"
#include "tandem/servers/client_tensors.h"
#include "tandem/servers/server_client_body.h"

namespace tandem::servers {
namespace {

void check_push(const PushOptions& options) {
  if (options.rows < 0 || options.all_rows < 0)
    throw InvalidArgument(
        c10::str("push: rows and all_rows must be at least 0, got ", options.rows, " and ", options.all_rows));
  if (!std::isfinite(options.rate) || !std::isfinite(options.scale))
    throw InvalidArgument(c10::str("push: rate and scale must be finite, got ", options.rate, " and ", options.scale));
}

void check_pass(const char* call, int64_t pass) {
  if (pass < 0) throw InvalidArgument(c10::str(call, ": pass must be at least 0, got ", pass));
}

}  // namespace

void ServerClient::Body::push(int64_t block, const Tensor& gradients, const PushOptions& options) {
  check_begun();
  check_push(options);
  check_flat(gradients, plan_);
  if (block < 0 || block >= plan_.blocks())
    throw InvalidArgument(c10::str("push: block must be from 0 to ", plan_.blocks() - 1, ", got ", block));
  if (plan_.table_of(block)) throw InvalidArgument(c10::str("push: block ", block, " is of a table's rows"));
  push_block(block, {Frame::of(blocks_.part(gradients, block))}, options);
}

void ServerClient::Body::push_rows(std::size_t table, const RowGradient& gradient, const PushOptions& options) {
  check_begun();
  check_push(options);
  check_rows(table, gradient.rows, plan_);
  check_floats(gradient.values, gradient.count() * plan_.weights[table].row(), 2);
  for_each_part(table, gradient, plan_, [&](int64_t block, const RowGradient& part) {
    push_block(block, {Frame::of(encode_rows(part.rows)), Frame::of(part.values)}, options);
  });
}

Tensor ServerClient::Body::pull_rows(std::size_t table, const Tensor& rows) {
  check_begun();
  check_rows(table, rows, plan_);
  Tensor values = at::empty({rows.numel(), plan_.weights[table].row()}, at::kFloat);
  std::vector<std::pair<int64_t, Tensor>> parts;
  for_each_part(table, {rows, values}, plan_, [&](int64_t block, const RowGradient& part) {
    if (part.count() == 0) return;
    ask_rows(block, {Frame::of(encode_rows(part.rows))});
    parts.emplace_back(block, part.values);
  });
  receive_rows(parts);
  return values;
}

void ServerClient::Body::pull_table(std::size_t table, Tensor& values) {
  check_begun();
  check_rows(table, at::empty({0}, at::kLong), plan_);
  check_floats(values, plan_.weights[table].count(), values.dim());
  const auto [first, last] = blocks_of(table, plan_);
  for (int64_t block = first; block < last; ++block) {
    ask_rows(block, {});
    receive_rows({{block, table_part(values, table, block, plan_)}});
  }
}

PushOutcome ServerClient::Body::finish(Tensor& parameters, const std::function<void(int64_t)>& arrived) {
  check_begun();
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

void ServerClient::Body::pull(Tensor& parameters, int64_t pass) {
  check_begun();
  check_pass("pull", pass);
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

void ServerClient::Body::rest(int64_t pass) {
  check_begun();
  check_pass("rest", pass);
  const auto lock = links_.lock();
  auto rests = header(Kind::rest);
  rests.version = pass;
  for (std::size_t s = 0; s < links_.count(); ++s) links_.send(s, rests);
}

void ServerClient::Body::push_block(int64_t block, std::vector<Frame> payload, const PushOptions& options) {
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

void ServerClient::Body::ask_rows(int64_t block, std::vector<Frame> payload) {
  const auto lock = links_.lock();
  if (blocks_.is_asked(block))
    throw InvalidArgument(c10::str("rows: block ", block, " has been pushed; finish comes first"));
  auto asks = header(Kind::rows);
  asks.id = ++pulls_;
  asks.block = block;
  const auto& question = blocks_.ask(asks, std::move(payload));
  links_.send(static_cast<std::size_t>(plan_.server_of(block)), question.header, question.payload);
}

void ServerClient::Body::receive_rows(const std::vector<std::pair<int64_t, Tensor>>& parts) {
  for (std::size_t left = parts.size(); left > 0;) {
    for (const auto& [answer, values] : receive(Kind::rows)) {
      const auto part = std::find_if(parts.begin(), parts.end(),
                                     [block = answer.block](const auto& one) { return one.first == block; });
      ClientBlocks::write(values, part->second);
      --left;
    }
  }
}

bool ServerClient::Body::receive_blocks(Tensor& parameters, const std::function<void(const Header&)>& taken,
                                        const std::function<bool()>& enough) {
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

void ServerClient::Body::send_pull(std::size_t s) {
  auto pull = header(Kind::pull);
  pull.id = pulls_;
  pull.version = pass_;
  links_.send(s, pull);
}

std::vector<ClientBlocks::Arrived> ServerClient::Body::receive(Kind kind) {
  links_.wait_until({.done = [&] { return blocks_.any_arrived(kind); },
                     .misses = [&](std::size_t s) { return blocks_.first_missing(static_cast<int64_t>(s)) >= 0; },
                     .again = [&](std::size_t s) { send_again(s); },
                     .what = "waits for parameters of"});
  const auto lock = links_.lock();
  return blocks_.take_arrived(kind);
}

void ServerClient::Body::send_again(std::size_t s) {
  bool pulls = false;
  for (const auto& question : blocks_.unanswered(static_cast<int64_t>(s))) {
    if (question.header.kind != Kind::pull) links_.send(s, question.header, question.payload);
    pulls = pulls || question.header.kind == Kind::pull;
  }
  if (pulls) send_pull(s);
}

}  // namespace tandem::servers
