#include "tandem/distribution/module_gradients.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>
#include <torch/csrc/autograd/engine.h>

#include "tandem/core/error.h"
#include "tandem/distribution/gradient_hooks.h"
#include "tandem/distribution/ranks_with_data.h"
#include "tandem/distribution/statistics_exchange.h"

namespace tandem::distribute {

ModuleGradients::ModuleGradients(const Named& parameters, comm::Communicator& ranks, int64_t bucket_bytes,
                                 bool all_used)
    : ranks_(ranks), all_used_(all_used) {
  if (bucket_bytes <= 0) throw InvalidArgument(c10::str("bucket_bytes: must be positive, got ", bucket_bytes));
  int64_t open_bytes = 0;
  std::vector<int64_t> numbers;  // elements of each bucket
  for (auto named = parameters.rbegin(); named != parameters.rend(); ++named) {
    const auto& [name, tensor] = *named;
    if (!tensor.requires_grad()) continue;
    if (!tensor.is_leaf() || !tensor.is_cpu() || !tensor.is_non_overlapping_and_dense())
      throw InvalidArgument(c10::str("parameter '", name, "': must be a dense leaf on the CPU"));
    if (is_called_on_gradients(tensor))
      throw InvalidArgument(c10::str("parameter '", name, "': its gradient is exchanged by another already"));
    const bool fits = !buckets_.empty() && open_bytes + static_cast<int64_t>(tensor.nbytes()) <= bucket_bytes &&
                      parameters_.back().scalar_type() == tensor.scalar_type();
    if (!fits) {
      buckets_.emplace_back();
      numbers.push_back(0);
      open_bytes = 0;
    }
    auto& bucket = buckets_.back();
    if (bucket.members.empty()) bucket.what = c10::str("bucket ", buckets_.size() - 1, " (from ", name, " on)");
    bucket.members.push_back(parameters_.size());
    bucket_of_.push_back(buckets_.size() - 1);
    parameters_.push_back(tensor);
    names_.push_back(name);
    open_bytes += static_cast<int64_t>(tensor.nbytes());
    numbers.back() += tensor.numel();
  }
  for (std::size_t b = 0; b < buckets_.size(); ++b) {
    auto& bucket = buckets_[b];
    bucket.flat = at::zeros({numbers[b]}, parameters_[bucket.members.front()].options());
    int64_t begin = 0;
    for (auto i : bucket.members) {
      const auto& p = parameters_[i];
      // Of the same memory and no view of it: optimizers detach gradients in place, which views refuse.
      places_.push_back(bucket.flat.as_strided(p.sizes(), p.strides(), begin).variable_data());
      begin += p.numel();
    }
  }
  used_ = at::zeros({static_cast<int64_t>(parameters_.size()) + ranks_.world_size()}, at::kFloat);
  on_gradients(parameters_, [this](std::size_t i) { ready(i); });
}

ModuleGradients::~ModuleGradients() { no_longer_on_gradients(parameters_); }

void ModuleGradients::ready(std::size_t i) {
  if (!exchange_) return;
  if (backward_.expired()) begin();
  take(i);
  start_ready();
  for (std::size_t b = 0; b < next_; ++b) buckets_[b].pending.advance();
}

void ModuleGradients::set_ranks_with_data(RanksWithData* ranks, bool by_those_with_data,
                                          StatisticsExchange* statistics) {
  with_data_ = ranks;
  statistics_ = statistics;
  by_those_with_data_ = by_those_with_data;
}

void ModuleGradients::begin() {
  if (unfinished_) give_up();
  for (auto& bucket : buckets_) bucket.missing = bucket.members.size();
  next_ = 0;
  used_.zero_();
  if (with_data_) with_data_->say(RanksWithData::Act::gradients);
  unfinished_ = true;
  const auto backward = std::make_shared<char>();
  backward_ = backward;
  torch::autograd::Engine::get_default_engine().queue_callback([this, backward] { finish(); });
}

// The gradient into its place, where it is not there already.
void ModuleGradients::take(std::size_t i) {
  const c10::NoGradGuard no_grad;
  const Tensor gradient = parameters_[i].grad();
  if (!gradient.defined()) {
    places_[i].zero_();
  } else {
    used_[static_cast<int64_t>(i)] = 1;
    if (gradient.const_data_ptr() != places_[i].const_data_ptr()) places_[i].copy_(gradient);
  }
  --buckets_[bucket_of_[i]].missing;
}

void ModuleGradients::start_ready() {
  for (; next_ < buckets_.size() && buckets_[next_].missing == 0; ++next_) {
    auto& bucket = buckets_[next_];
    bucket.pending = ranks_.all_reduce_async(bucket.flat, {.what = bucket.what.c_str()});
  }
}

void ModuleGradients::start_used() {
  used_pending_ = ranks_.all_reduce_async(used_, {.what = "parameters that were used"});
}

void ModuleGradients::wait_for_all() {
  for (auto& bucket : buckets_) bucket.pending.wait();
  used_pending_.wait();
}

int64_t ModuleGradients::gave_up() const {
  const auto* by_rank = used_.const_data_ptr<float>() + parameters_.size();
  for (int64_t r = 0; r < ranks_.world_size(); ++r) {
    if (by_rank[r] > 0) return r;
  }
  return -1;
}

void ModuleGradients::finish() {
  backward_.reset();
  unfinished_ = false;
  const c10::NoGradGuard no_grad;
  for (std::size_t b = next_; b < buckets_.size(); ++b) {
    for (auto i : buckets_[b].members) {
      if (used_[static_cast<int64_t>(i)].item<float>() == 0) take(i);
    }
  }
  start_ready();
  start_used();
  if (with_data_) with_data_->hear();
  if (statistics_) statistics_->end();
  wait_for_all();
  if (const auto rank = gave_up(); rank >= 0) {
    if (!with_data_)
      throw PeerError(c10::str("rank ", ranks_.rank(), ": backward: that of rank ", rank, " ended by an exception"));
    with_data_->note_left(rank);
  }
  if (with_data_) with_data_->check_nobody_left();
  check_all_used(with_data_ ? with_data_->count() : ranks_.world_size());
  const auto* used = used_.const_data_ptr<float>();
  const auto addends = by_those_with_data_ ? with_data_->count() : ranks_.world_size();
  for (auto& bucket : buckets_) bucket.flat.mul_(1.0 / static_cast<double>(addends));
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (used[i] > 0 && !parameters_[i].grad().is_same(places_[i])) parameters_[i].mutable_grad() = places_[i];
  }
}

void ModuleGradients::check_all_used(int64_t ranks) const {
  if (!all_used_) return;
  std::string unused;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const auto by = static_cast<int64_t>(used_[static_cast<int64_t>(i)].item<float>());
    if (by < ranks) unused += c10::str(unused.empty() ? "'" : ", '", names_[i], "' by ", by);
  }
  if (!unused.empty())
    throw InvalidArgument(c10::str("backward: all ", ranks, " ranks must use all parameters, but used ", unused));
}

void ModuleGradients::take_part() {
  const c10::NoGradGuard no_grad;
  for (auto& parameter : parameters_) parameter.mutable_grad() = Tensor();
  used_.zero_();
  for (auto& bucket : buckets_) {
    bucket.flat.zero_();
    bucket.missing = 0;
  }
  next_ = 0;
  start_ready();
  start_used();
  if (statistics_) statistics_->take_part(/*until_end=*/true);
  wait_for_all();
  if (const auto rank = gave_up(); rank >= 0) with_data_->note_left(rank);
}

void ModuleGradients::give_up() {
  const c10::NoGradGuard no_grad;
  unfinished_ = false;
  for (auto& bucket : buckets_) bucket.missing = 0;
  start_ready();
  used_[static_cast<int64_t>(parameters_.size()) + ranks_.rank()] = 1;
  start_used();
  if (with_data_) with_data_->hear();
  if (statistics_) statistics_->take_part(/*until_end=*/true);
  wait_for_all();
  if (with_data_) with_data_->note_left(gave_up());
}

}  // namespace tandem::distribute
