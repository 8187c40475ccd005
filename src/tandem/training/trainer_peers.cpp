// Trainer: what several processes that train one model agree on.
#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/training/trainer.h"

namespace tandem {
namespace {

void put_bits(uint64_t bits, distribute::PeerMessage& message) {
  message.put(static_cast<double>(bits >> 32));
  message.put(static_cast<double>(bits & 0xffffffffU));
}

uint64_t take_bits(distribute::PeerMessage& message) {
  const auto high = static_cast<uint64_t>(message.number());
  return high << 32 | static_cast<uint64_t>(message.number());
}

}  // namespace

void Trainer::begin_pass() {
  execution_->store();
  align();
  execution_->load();
}

void Trainer::align() {
  auto* peers = execution_->peers();
  if (!peers) return;
  execution_->align();
  const auto& optimizer = parts_.optimizer;
  const bool constant = optimizer && !optimizer->rate().is_schedule();
  distribute::PeerMessage own;
  put_bits(random_.key(), own);
  own.put(static_cast<double>(passes_));
  own.put(static_cast<double>(epochs_trained_));
  own.put(static_cast<double>(begins_at_.value_or(-1)));
  own.put(constant ? optimizer->learning_rate(0) : 0);
  auto first = peers->gather(own, align_topic_).front();
  random_ = RandomStream(take_bits(first));
  passes_ = first.integer();
  epochs_trained_ = first.integer();
  const int64_t begins_at = first.integer();
  begins_at_ = begins_at < 0 ? std::nullopt : std::optional(begins_at);
  const double rate = first.number();
  if (constant && rate != optimizer->learning_rate(0)) optimizer->set_learning_rate(rate);
}

Trainer::Wishes Trainer::agree(const Wishes& own) {
  auto* peers = execution_->peers();
  if (!peers) return own;
  distribute::PeerMessage message;
  for (const bool wish : {own.look, own.stop, own.interrupt}) message.put(wish ? 1.0 : 0.0);
  Wishes all;
  for (auto& its : peers->gather(message, wishes_topic_)) {
    for (bool* wish : {&all.look, &all.stop, &all.interrupt}) *wish = its.number() > 0 || *wish;
  }
  return all;
}

}  // namespace tandem
