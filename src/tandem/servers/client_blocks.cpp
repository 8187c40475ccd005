#include "tandem/servers/client_blocks.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstring>

namespace tandem::servers {

Tensor ClientBlocks::part(const Tensor& flat, int64_t block) const {
  return flat.narrow(0, plan_.block_begin(block), plan_.block_elements(block));
}

void ClientBlocks::write(const Frame& values, Tensor part) {
  std::memcpy(part.mutable_data_ptr(), values.data(), values.size());
}

const ClientBlocks::Question& ClientBlocks::ask(Header header, std::vector<Frame> payload) {
  auto& block = blocks_[static_cast<std::size_t>(header.block)];
  header.version = version_of(header);
  for (const auto& frame : payload) bytes_sent_ += static_cast<int64_t>(frame.size());
  block.state = State::asked;
  const int64_t elements = answer_elements(header, payload);
  block.question = {header, std::move(payload), elements};
  return block.question;
}

int64_t ClientBlocks::version_of(const Header& header) {
  if (header.kind != Kind::push || plan_.needs_all()) return of(header.block).version;
  const auto server = plan_.server_of(header.block);
  auto& gradient = pushed_[static_cast<std::size_t>(server)];
  if (gradient.id != header.id) {
    gradient = {header.id, of(header.block).version};
    for (int64_t b = plan_.first_block(server); b < plan_.first_block(server + 1); ++b)
      gradient.version = std::min(gradient.version, of(b).version);
  }
  return gradient.version;
}

int64_t ClientBlocks::answer_elements(const Header& header, const std::vector<Frame>& payload) const {
  const auto table = plan_.table_of(header.block);
  if (header.kind != Kind::rows) return table ? 0 : plan_.block_elements(header.block);
  const int64_t rows =
      payload.empty() ? plan_.block_rows(header.block) : static_cast<int64_t>(payload[0].size() / kBytesOfRow);
  return rows * plan_.weights[*table].row();
}

void ClientBlocks::forget() {
  arrived_.clear();
  arrived_rows_.clear();
  for (auto& block : blocks_) {
    block.state = State::idle;
    block.question.payload.clear();
  }
}

std::vector<ClientBlocks::Question> ClientBlocks::unanswered(int64_t server) const {
  std::vector<Question> questions;
  for (int64_t b = plan_.first_block(server); b < plan_.first_block(server + 1); ++b) {
    if (waits(b)) questions.push_back(of(b).question);
  }
  return questions;
}

int64_t ClientBlocks::first_missing(int64_t server) const {
  for (int64_t b = plan_.first_block(server); b < plan_.first_block(server + 1); ++b) {
    if (waits(b)) return b;
  }
  return -1;
}

void ClientBlocks::answer(const Header& header, const Frame& values, int64_t server) {
  if (blocks_.empty()) return;
  check_is_here(header, plan_, server);
  auto& block = blocks_[static_cast<std::size_t>(header.block)];
  const auto& asked = block.question.header;
  const bool same_kind = header.kind == Kind::rows
                             ? asked.kind == Kind::rows
                             : asked.kind == (header.outcome == Outcome::pulled ? Kind::pull : Kind::push);
  if (block.state != State::asked || asked.id != header.id || !same_kind) return;
  check_bytes(header, values.size(), block.question.answer);
  bytes_received_ += static_cast<int64_t>(values.size());
  block.state = State::arrived;
  if (header.kind == Kind::params) block.version = header.version;
  block.question.payload.clear();
  arrived(header.kind).push_back({header, values});
}

std::vector<ClientBlocks::Arrived> ClientBlocks::take_arrived(Kind kind) {
  for (const auto& one : arrived(kind)) blocks_[static_cast<std::size_t>(one.header.block)].state = State::idle;
  return std::exchange(arrived(kind), {});
}

}  // namespace tandem::servers
