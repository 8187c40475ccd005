// Trainer: what several processes that train one model agree on.
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/training/same_data.h"
#include "tandem/training/trainer.h"

namespace tandem {
void Trainer::begin_pass() {
  execution_->store();
  align();
  execution_->load();
}

void Trainer::check_same(const char* who, const Dataset& data, int64_t batch_size,
                         const distribute::NamedOptions& options) {
  auto* peers = execution_->peers();
  if (!peers) return;
  if (data.size() == data::kUnknownSize)
    throw InvalidArgument(c10::str(who, ": data must have a known number of rows where several processes share them"));
  // The rows are read here, which may fail in one process alone; the comparison fails alike in all.
  const auto print = together(who, [&] { return fingerprint(data); });
  check_same_data(*peers, who, data, batch_size, print, options);
}

void Trainer::align() {
  auto* peers = execution_->peers();
  if (!peers) return;
  execution_->align();
  take_progress(peers->gather(progress_message(), align_topic_).front());
}

void Trainer::follow_crowd() {
  if (auto* crowd = execution_->crowd()) take_progress(crowd->follow(progress_message()));
}

distribute::PeerMessage Trainer::progress_message() const {
  const auto& optimizer = parts_.optimizer;
  const bool constant = optimizer && !optimizer->rate().is_schedule();
  distribute::PeerMessage own;
  own.put_bits(random_.key());
  own.put(static_cast<double>(passes_));
  own.put(static_cast<double>(epochs_trained_));
  own.put(static_cast<double>(begins_at_.value_or(-1)));
  own.put(constant ? optimizer->learning_rate(0) : 0);
  return own;
}

void Trainer::take_progress(distribute::PeerMessage first) {
  random_ = RandomStream(first.bits());
  passes_ = first.integer();
  epochs_trained_ = first.integer();
  const int64_t begins_at = first.integer();
  begins_at_ = begins_at < 0 ? std::nullopt : std::optional(begins_at);
  const auto& optimizer = parts_.optimizer;
  const double rate = first.number();
  const bool constant = optimizer && !optimizer->rate().is_schedule();
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
