#include <ATen/ATen.h>

#include <cstdint>
#include <cstring>

#include "tandem/core/error.h"
#include "tandem/servers/server_talk.h"
#include "tandem/servers/server_terms.h"
#include "targets.h"

namespace tandem::fuzz {
namespace {

using servers::Frame;
using servers::Header;
using servers::Kind;

// Messages as one text: of each frame its length with the highest bit set in the last one of a message, and its bytes.
class Conversation {
 public:
  Conversation& say(const Header& header, const std::vector<std::string>& payload = {}) {
    put(encode(header), payload.empty());
    for (const auto& frame : payload) put(frame, &frame == &payload.back());
    return *this;
  }
  const std::string& text() const { return text_; }

 private:
  void put(const std::string& frame, bool last) {
    const auto length = static_cast<uint32_t>(frame.size()) | (last ? 0x80000000U : 0);
    text_.append(reinterpret_cast<const char*>(&length), sizeof(length));
    text_ += frame;
  }

  std::string text_;
};

std::string zeros(int64_t elements) { return std::string(static_cast<std::size_t>(elements) * sizeof(float), '\0'); }

// All kinds of messages of a worker to one server.
std::string conversation(servers::ServerMode mode, const std::string& rule) {
  const auto plan = servers::divide_among_servers(
      {.mode = mode, .workers = 1, .staleness = 1, .weights = {{"w", 0, {3, 2}}, {"b", 16, {2}}}, .elements = 32},
      *Optimizer::make(rule), 1, 64);
  std::vector<std::string> hello{plan.encode()};
  for (int64_t b = 0; b < plan.blocks(); ++b) hello.push_back(zeros(plan.block_elements(b)));
  Conversation all;
  all.say({.kind = Kind::hello}, hello).say({.kind = Kind::pull}).say({.kind = Kind::ping});
  for (int64_t b = 0; b < plan.blocks(); ++b)
    all.say({.kind = Kind::push, .id = 1, .block = b, .rows = 4}, {zeros(plan.block_elements(b))});
  all.say({.kind = Kind::state}).say({.kind = Kind::figures}).say({.kind = Kind::rest});
  all.say({.kind = Kind::set_state, .id = 1}, {std::string(8, '\0')}).say({.kind = Kind::leave});
  return all.text();
}

// Those of a worker that needs some rows of a table.
std::string talk_of_rows(servers::ServerMode mode, const std::string& rule) {
  const auto plan = servers::divide_among_servers({.mode = mode,
                                                   .workers = 1,
                                                   .staleness = 1,
                                                   .weights = {{"w", 0, {3, 2}}, {"t", 16, {12, 3}, {}, true}},
                                                   .elements = 52},
                                                  *Optimizer::make(rule), 1, 64, 72);
  std::vector<std::string> hello{plan.encode()};
  for (int64_t b = 0; b < plan.blocks(); ++b) hello.push_back(zeros(plan.block_elements(b)));
  const auto rows = servers::encode_rows(at::tensor({1, 4}, at::kLong));
  Conversation all;
  all.say({.kind = Kind::hello}, hello).say({.kind = Kind::pull});
  for (uint64_t id = 1; id <= 2; ++id) {
    all.say({.kind = Kind::rows, .id = id, .block = 1}, {rows}).say({.kind = Kind::rows, .id = id, .block = 2});
    for (int64_t b = 0; b < plan.blocks(); ++b) {
      Header push{.kind = Kind::push, .id = id, .block = b, .version = static_cast<int64_t>(id) - 1, .rows = 4};
      if (plan.table_of(b)) {
        all.say(push, {rows, zeros(6)});
      } else {
        all.say(push, {zeros(plan.block_elements(b))});
      }
    }
  }
  all.say({.kind = Kind::state}).say({.kind = Kind::leave});
  return all.text();
}

const servers::GroupOptions kTwoHosts{.hosts = {"a:1", "b:1"}};

// The way, what a worker says to one of two servers, and what the other one says: a round, and that it parts.
std::string between_hosts(servers::ServerSync way) {
  auto options = kTwoHosts;
  options.way = way;
  const int64_t steps = way == servers::ServerSync::ring ? 2 : 1;
  const auto plan = servers::divide_among_servers(
      {.mode = servers::ServerMode::async, .workers = 1, .weights = {{"w", 0, {40, 2}}}, .elements = 128},
      *Optimizer::make("sgd"), 1, 256);
  std::vector<std::string> hello{plan.encode()};
  for (int64_t b = 0; b < plan.blocks(); ++b) hello.push_back(zeros(plan.block_elements(b)));
  Conversation all;
  all.say({.kind = Kind::hello}, hello);
  all.say({.kind = Kind::peer, .worker = 1}, {server_terms(options, plan, at::zeros({plan.elements}), 0)});
  for (int64_t b = 0; b < plan.blocks(); ++b)
    all.say({.kind = Kind::push, .id = 1, .block = b, .rows = 4}, {zeros(plan.block_elements(b))});
  all.say({.kind = Kind::come, .worker = 1, .id = 1}).say({.kind = Kind::pull, .id = 1});
  for (int64_t step = 0; step < steps; ++step) {
    const auto span = steps == 1 ? comm::Span{0, plan.elements} : comm::slice(plan.elements, 2, 1 - step);
    all.say({.kind = Kind::slice, .worker = 1, .id = 1, .block = span.begin, .version = step}, {zeros(span.size())});
  }
  all.say({.kind = Kind::average, .id = 1}).say({.kind = Kind::part, .worker = 1, .id = 2});
  all.say({.kind = Kind::parted, .worker = 1}).say({.kind = Kind::figures}).say({.kind = Kind::leave});
  return static_cast<char>(way) + all.text();
}

void hear(const std::string& bytes, std::optional<servers::ServerSync> way = {}) {
  std::string error;
  auto options = kTwoHosts;
  if (way) options.way = *way;
  servers::ServerGroup group(options, [](int64_t, const Header&, const std::vector<Frame>&) {});
  servers::ServerTalk talk(10, [&](const std::string&, const Header& header, const std::vector<Frame>& payload) {
    if (header.kind == Kind::error) error = payload.at(0).text();
  });
  if (way) talk.join(&group);
  std::vector<Frame> frames;
  for (std::size_t at = 0; at + sizeof(uint32_t) <= bytes.size();) {
    uint32_t length = 0;
    std::memcpy(&length, bytes.data() + at, sizeof(length));
    at += sizeof(length);
    const auto size = std::min<std::size_t>(length & 0x7fffffffU, bytes.size() - at);
    frames.push_back(Frame::of(bytes.substr(at, size)));
    at += size;
    if ((length & 0x80000000U) == 0) continue;
    talk.hear("worker", frames, 0);
    frames.clear();
  }
  if (!error.empty()) throw DataError(error);
}

}  // namespace

Target server_messages() {
  return {"server",
          {conversation(servers::ServerMode::sync, "sgd"), conversation(servers::ServerMode::stale, "adam"),
           conversation(servers::ServerMode::async, "lamb"), talk_of_rows(servers::ServerMode::sync, "sgd"),
           talk_of_rows(servers::ServerMode::async, "adagrad"), talk_of_rows(servers::ServerMode::stale, "adam")},
          [](const std::string& bytes) { hear(bytes); }};
}

Target servers_of_hosts() {
  return {"hosts",
          {between_hosts(servers::ServerSync::all_reduce), between_hosts(servers::ServerSync::ring),
           between_hosts(servers::ServerSync::async_scatter_sum)},
          [](const std::string& bytes) {
            if (bytes.empty()) throw DataError("no way");
            hear(bytes.substr(1), static_cast<servers::ServerSync>(static_cast<unsigned char>(bytes[0]) % 3));
          }};
}

}  // namespace tandem::fuzz
