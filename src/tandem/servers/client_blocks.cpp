#include "tandem/servers/client_blocks.h"

#include <ATen/ATen.h>

#include <cstring>

namespace tandem::servers {

Tensor ClientBlocks::part(const Tensor& flat, int64_t block) const {
  return flat.narrow(0, plan_.block_begin(block), plan_.block_elements(block));
}

void ClientBlocks::write(const Frame& values, Tensor part) {
  std::memcpy(part.mutable_data_ptr(), values.data(), values.size());
}

const ClientBlocks::Question& ClientBlocks::ask(Header header, Frame gradient) {
  auto& block = blocks_[static_cast<std::size_t>(header.block)];
  header.version = block.version;
  bytes_sent_ += static_cast<int64_t>(gradient.size());
  block.state = State::asked;
  block.question = {header, std::move(gradient)};
  return block.question;
}

void ClientBlocks::forget() {
  arrived_.clear();
  for (auto& block : blocks_) {
    block.state = State::idle;
    block.question.gradient = {};
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
  check_block(header, values.size(), plan_, server);
  auto& block = blocks_[static_cast<std::size_t>(header.block)];
  const auto& asked = block.question.header;
  const bool pulls = header.outcome == Outcome::pulled;
  if (block.state != State::asked || asked.id != header.id || (asked.kind == Kind::pull) != pulls) return;
  bytes_received_ += static_cast<int64_t>(values.size());
  block.state = State::arrived;
  block.version = header.version;
  block.question.gradient = {};
  arrived_.push_back({header, values});
}

std::vector<ClientBlocks::Arrived> ClientBlocks::take_arrived() {
  for (const auto& arrived : arrived_) blocks_[static_cast<std::size_t>(arrived.header.block)].state = State::idle;
  return std::exchange(arrived_, {});
}

}  // namespace tandem::servers
