// FitLoop: where processes train each at its own pace, which batches of an epoch this one makes.
#include <c10/util/StringUtil.h>

#include <algorithm>

#include "tandem/training/fit_loop.h"

namespace tandem {

// All processes come to the same numbers, also one that is late.
void Trainer::FitLoop::begin_dealing(int64_t epoch) {
  if (!execution_.crowd()) return;
  dealt_.number = trainer_.passes_ + trainer_.epochs_trained_;
  execution_.begin_pass(dealt_.number);
  const int64_t asked = plan_.steps_per_epoch;
  if (!counted_) {
    dealt_.count = asked;
    return;
  }
  if (dealt_before_ == loader_.batches()) dealt_before_ = 0;
  const int64_t left = loader_.batches() - dealt_before_;
  dealt_.first = dealt_before_;
  dealt_.count = asked > 0 ? std::min(asked, left) : left;
  dealt_before_ += dealt_.count;
  if (dealt_.count < asked) warn_of_short_epoch(epoch, dealt_.count);
}

data::DealBatch Trainer::FitLoop::deal() {
  auto deal = execution_.deal(counted_);
  if (!deal) return {};
  return [this, deal](int64_t /*pass*/, int64_t /*batches*/) {
    auto dealt = deal(dealt_.number, dealt_.count);
    if (dealt) dealt->batch += dealt_.first;
    return dealt;
  };
}

std::optional<data::Batch> Trainer::FitLoop::next_generated(int64_t epoch) {
  auto batch = batches_.next();
  if (plan_.steps_per_epoch < 0) return batch;
  const bool again = !batch && !loader_.spent();
  if (again) {
    waited_ += loader_.waited();
    batches_.start_epoch(trainer_.passes_ + ++own_passes_);
    if (step_ == 0) batch = batches_.next();  // the last epoch ended with the pass
  }
  if (!batch) {  // others make what is left of the epoch
    for (const auto& result : execution_.finish_steps()) add(result, epoch, execution_.iterations());
    execution_.crowd()->end_share(dealt_.number, dealt_.count);
    return {};
  }
  const auto dealt = deal()(0, 0);
  if (!dealt) {
    loader_.give_back();
    return {};
  }
  batch->number = dealt->number;
  return batch;
}

Logs Trainer::FitLoop::epoch_logs() {
  auto* crowd = execution_.crowd();
  if (!crowd || crowd->stopped()) return figures_.logs();
  const auto topic = c10::str("figures of epoch ", dealt_.number);
  return figures_.logs_of_all([&](const distribute::PeerMessage& own) { return crowd->gather(topic, own); });
}

}  // namespace tandem
