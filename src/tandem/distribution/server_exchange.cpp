#include "tandem/distribution/server_exchange.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include "tandem/core/steady_seconds.h"

namespace tandem::distribute {

ServerExchange::ServerExchange(FlatWeights& weights, const std::vector<Weight>& tables,
                               std::vector<GradientBucket> buckets, servers::ServerPlan plan,
                               const servers::ClientOptions& options, Tensor target, comm::Turns* turns)
    : GradientExchange(weights, std::move(buckets), true),
      plan_(std::move(plan)),
      client_(options),
      tables_(
          tables, [this](std::size_t table, const Tensor& rows) { return pull_rows(table, rows); },
          options.worker == 0),
      target_(std::move(target)),
      turns_(turns),
      started_(this->buckets().size()) {}

template <class Wait>
void ServerExchange::away(const Wait& wait) {
  // Taken back also when the wait throws.
  struct Away {
    Away(comm::Turns* turns, std::atomic<double>& seconds) : turns_(turns), seconds_(seconds) {
      if (turns_) turns_->release();
    }
    ~Away() {
      if (turns_) turns_->acquire();
      seconds_ += steady_seconds() - start_;  // also those until its next turn
    }
    comm::Turns* turns_;
    std::atomic<double>& seconds_;
    const double start_ = steady_seconds();
  } const away(turns_, seconds_);
  const c10::NoGradGuard no_grad;
  wait();
}

void ServerExchange::begin_training() {
  away([&] { client_.begin(plan_, target_, masters()); });
  begun_ = true;
}

void ServerExchange::set_parameters() {
  away([&] { client_.set_parameters(target_, masters()); });
}

std::vector<Tensor> ServerExchange::masters() const {
  std::vector<Tensor> values;
  for (const auto& table : tables_.tables()) values.push_back(table.variable().value);
  return values;
}

void ServerExchange::pull_tables() {
  auto values = masters();
  for (std::size_t t = 0; t < values.size(); ++t) {
    away([&] { client_.pull_table(number_of(t), values[t]); });
    values[t].unsafeGetTensorImpl()->bump_version();  // others go by it, and do not see what is written to its memory
  }
}

Tensor ServerExchange::pull_rows(std::size_t table, const Tensor& rows) {
  Tensor values;
  away([&] {
    if (rows.defined()) {
      values = client_.pull_rows(number_of(table), rows);
    } else {
      values = at::empty_like(tables_.tables()[table].variable().value);
      client_.pull_table(number_of(table), values);
    }
  });
  return values;
}

void ServerExchange::give_up() {
  client_.give_up();
  rests_ = true;
}

void ServerExchange::pull(int64_t pass) {
  away([&] { client_.pull(target_, pass); });
  rests_ = false;
}

void ServerExchange::average(int64_t round) {
  away([&] { client_.average(round); });
}

void ServerExchange::rest(int64_t pass) {
  if (!begun_ || (std::exchange(rests_, true) && pass == 0)) return;
  client_.rest(pass);
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

void ServerExchange::all_started() {
  for (std::size_t t = 0; t < tables_.tables().size(); ++t)
    client_.push_rows(number_of(t), tables_.gradient(t), terms_);
}

void ServerExchange::finish_exchange() {
  if (std::exchange(finished_, true)) return;
  away([&] { client_.finish(target_); });
  tables_.updated();
}

void ServerExchange::all_arrived() { finish_exchange(); }

comm::ReduceTimes ServerExchange::wait(std::size_t bucket) {
  finish_exchange();
  const double now = steady_seconds();
  return {.started = started_[bucket], .all_here = now, .finished = now};
}

}  // namespace tandem::distribute
