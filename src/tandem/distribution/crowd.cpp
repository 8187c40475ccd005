#include "tandem/distribution/crowd.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "tandem/core/error.h"

namespace tandem::distribute {
namespace {

constexpr std::size_t kPiece = 1 << 24;  // bytes of a message

std::string bytes_of(const PeerMessage& message) {
  const auto& values = message.values();
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double)};
}

PeerMessage message_of_bytes(const std::string& bytes) {
  if (bytes.size() % sizeof(double) != 0) throw PeerError("parameter servers: another worker sent what is no message");
  std::vector<double> values(bytes.size() / sizeof(double));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return PeerMessage(std::move(values));
}

}  // namespace

std::optional<int64_t> Crowd::next_batch(int64_t pass, int64_t batches, const std::function<void()>& finish_own) {
  auto dealt = desk_.take(pass, batches, take_done(), false);
  if (dealt.deal == servers::Deal::later) {
    finish_own();
    dealt = desk_.take(pass, batches, take_done(), true);
  }
  stopped_ = stopped_ || dealt.deal == servers::Deal::stopped;
  return dealt.deal == servers::Deal::batch ? std::optional(dealt.batch) : std::nullopt;
}

void Crowd::done(int64_t batch) {
  const std::lock_guard lock(mutex_);
  done_.push_back(batch);
}

std::vector<int64_t> Crowd::take_done() {
  const std::lock_guard lock(mutex_);
  return std::exchange(done_, {});
}

std::vector<PeerMessage> Crowd::gather(const std::string& topic, const PeerMessage& own) {
  std::vector<PeerMessage> all;
  for (const auto& bytes : desk_.gather(topic, bytes_of(own))) all.push_back(message_of_bytes(bytes));
  return all;
}

// Of every pass: others may have begun the next one. The first process's next training begins with taking it back.
void Crowd::stop() {
  if (std::exchange(stopped_, true)) return;
  desk_.stop(std::numeric_limits<int64_t>::max() - 1);
}

PeerMessage Crowd::follow(const PeerMessage& own) {
  if (leads_) desk_.stop(-1);
  stopped_ = false;
  return message_of_bytes(from_first(bytes_of(own)));
}

void Crowd::take_from_first(Tensor& tensor) {
  auto* bytes = static_cast<char*>(tensor.mutable_data_ptr());
  for (std::size_t at = 0; at < tensor.nbytes(); at += kPiece) {
    const auto size = std::min(kPiece, tensor.nbytes() - at);
    const auto first = from_first(leads_ ? std::string(bytes + at, size) : std::string());
    if (first.size() != size) throw PeerError("parameter servers: the first worker's weights have other sizes");
    std::memcpy(bytes + at, first.data(), size);
  }
}

std::string Crowd::from_first(const std::string& own) {
  const auto topic = std::to_string(follows_++);
  if (!leads_) return desk_.hear(topic);
  desk_.say(topic, own);
  return own;
}

}  // namespace tandem::distribute
