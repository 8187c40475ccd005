#include "tandem/distribution/server_exchange.h"

#include <c10/core/GradMode.h>

#include "tandem/core/steady_seconds.h"

namespace tandem::distribute {

ServerExchange::ServerExchange(FlatWeights& weights, std::vector<GradientBucket> buckets, servers::ServerPlan plan,
                               servers::ClientOptions options, Tensor target, comm::Turns* turns)
    : GradientExchange(weights, std::move(buckets), true),
      plan_(std::move(plan)),
      client_(std::move(options)),
      target_(std::move(target)),
      turns_(turns),
      started_(this->buckets().size()) {}

template <class Wait>
void ServerExchange::away(const Wait& wait) {
  // Taken back also when the wait throws.
  struct Away {
    Away(comm::Turns* turns, double& seconds) : turns_(turns), seconds_(seconds) {
      if (turns_) turns_->release();
    }
    ~Away() {
      if (turns_) turns_->acquire();
      seconds_ += steady_seconds() - start_;  // also those until its next turn
    }
    comm::Turns* turns_;
    double& seconds_;
    const double start_ = steady_seconds();
  } const away(turns_, seconds_);
  const c10::NoGradGuard no_grad;
  wait();
}

void ServerExchange::begin_training() {
  away([&] { client_.begin(plan_, target_); });
  begun_ = true;
}

void ServerExchange::set_parameters() {
  away([&] { client_.set_parameters(target_); });
}

void ServerExchange::give_up() {
  client_.give_up();
  rests_ = true;
}

void ServerExchange::pull() {
  away([&] { client_.pull(target_); });
  rests_ = false;
}

void ServerExchange::rest() {
  if (!begun_ || std::exchange(rests_, true)) return;
  client_.rest();
}

void ServerExchange::reset(const UpdateTerms& terms) {
  terms_ = {.rows = terms.rows, .all_rows = terms.all_rows, .rate = terms.rate, .scale = terms.scale};
  next_ = 0;
  finished_ = false;
}

void ServerExchange::start(std::size_t bucket) {
  started_[bucket] = steady_seconds();
  const int64_t end = buckets()[bucket].end;
  for (; next_ < plan_.blocks() && plan_.block_begin(next_ + 1) <= end; ++next_)
    client_.push(next_, weights().gradients(), terms_);
}

comm::ReduceTimes ServerExchange::wait(std::size_t bucket) {
  if (!std::exchange(finished_, true)) away([&] { client_.finish(target_); });
  const double now = steady_seconds();
  return {.started = started_[bucket], .all_here = now, .finished = now};
}

}  // namespace tandem::distribute
