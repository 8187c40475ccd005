#include "tandem/data/loader.h"

#include <ATen/Parallel.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "tandem/core/device.h"
#include "tandem/core/error.h"
#include "tandem/data/batch_maker.h"
#include "tandem/data/generator_loader.h"
#include "tandem/kernels/own_threads.h"

namespace tandem::data {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int64_t kMostWorkers = 4;

int64_t choose_workers(const BatchMaker& maker, int64_t asked) {
  const Dataset& dataset = maker.dataset();
  if (dataset.prefetch_batches() == 0) return 0;
  int64_t workers = dataset.workers() >= 0 ? dataset.workers() : asked;
  if (workers < 0) workers = maker.is_free() ? 0 : maker.is_cheap() ? 1 : std::min(available_cores(), kMostWorkers);
  return std::min(workers, maker.batches());
}

}  // namespace

// Batches have positions 0, 1, ... that count on from an epoch into the next. Workers take the next position, make its
// batch outside the lock and put it into slot position % slots; the consumer empties the slots in order. Everything
// that changes is guarded by one mutex.
class Loader::Impl {
 public:
  Impl(Dataset dataset, const LoaderOptions& options)
      : maker_(std::move(dataset), options.batch_size, options.max_batches, options.random, options.own_rows),
        deal_(options.deal),
        first_batch_(options.first_batch),
        last_epoch_(options.last_epoch) {
    if (first_batch_ < 0)
      throw InvalidArgument(c10::str("Loader: first_batch must not be negative, got ", first_batch_));
    const int64_t workers = deal_ ? 0 : choose_workers(maker_, options.workers);
    if (workers == 0) return;
    const int64_t ahead = maker_.dataset().prefetch_batches();
    slots_.resize(static_cast<std::size_t>(ahead > 0 ? ahead : 2 * workers));
    start_workers(workers);
  }

  ~Impl() { stop(); }

  void start_epoch(int64_t epoch) {
    std::unique_lock lock(mutex_);
    if (!first_epoch_) first_epoch_ = epoch;
    waited_ = {};
    rows_ = {};
    if (following_ && following_->epoch == epoch && taken_ == end_of_current_) {
      current_ = std::move(following_);
      end_of_current_ += current_->batches();
    } else {
      ++generation_;  // what workers still make is thrown away
      current_.reset();
      following_.reset();
      for (Slot& slot : slots_) slot = {};
      lock.unlock();
      auto plan = plan_of(epoch);
      lock.lock();
      current_ = std::move(plan);
      taken_ = handed_out_ = 0;
      end_of_current_ = current_->batches();
    }
    work_.notify_all();
  }

  std::optional<Batch> next() {
    std::unique_lock lock(mutex_);
    if (!current_) throw InvalidArgument("Loader: start_epoch must be called before next");
    if (deal_) {
      const auto dealt = deal_(current_->epoch, maker_.batches());
      if (!dealt) return std::nullopt;
      const auto start = Clock::now();  // until it is dealt there may be nothing to do
      rows_ = current_->rows_of(dealt->batch);
      auto batch = maker_.make(*current_, dealt->batch, dealt->rows);
      batch.number = dealt->number;
      waited_ += Clock::now() - start;
      return batch;
    }
    const auto start = Clock::now();
    if (taken_ == end_of_current_) return std::nullopt;
    if (threads_.empty()) return make_here(batch_at(*current_, taken_++, end_of_current_), start);
    Slot& slot = slot_of(taken_);
    ready_.wait(lock, [&] { return slot.full; });
    waited_ += Clock::now() - start;
    Slot taken = std::exchange(slot, {});
    rows_ = current_->rows_of(batch_at(*current_, taken_++, end_of_current_));
    lock.unlock();
    work_.notify_one();
    if (taken.error) std::rethrow_exception(taken.error);
    return std::move(taken.batch);
  }

  std::span<const int64_t> rows() const { return rows_; }
  int64_t batches() const { return maker_.batches(); }

  double waited() const {
    const std::lock_guard lock(mutex_);
    return std::chrono::duration<double>(waited_).count();
  }

 private:
  using Plan = std::shared_ptr<const EpochPlan>;

  Batch make_here(int64_t number, Clock::time_point start) {
    rows_ = current_->rows_of(number);
    Batch made = maker_.make(*current_, number);
    waited_ += Clock::now() - start;
    return made;
  }

  struct Slot {
    bool full = false;
    Batch batch;
    std::exception_ptr error;
  };

  Slot& slot_of(int64_t position) { return slots_[static_cast<std::size_t>(position) % slots_.size()]; }

  // The batch at `position` of a plan that ends before position `end`.
  static int64_t batch_at(const EpochPlan& plan, int64_t position, int64_t end) {
    return plan.end_batch - (end - position);
  }

  Plan plan_of(int64_t epoch) const {
    return std::make_shared<const EpochPlan>(maker_.plan(epoch, epoch == first_epoch_ ? first_batch_ : 0));
  }

  void start_workers(int64_t count) {
    try {
      for (int64_t i = 0; i < count; ++i) threads_.push_back(kernels::start_thread(1, [this] { work(); }));
    } catch (...) {
      stop();
      throw;
    }
  }

  void stop() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    work_.notify_all();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

  bool has_room() const { return current_ && handed_out_ < taken_ + static_cast<int64_t>(slots_.size()); }
  int64_t end() const { return end_of_current_ + (following_ ? following_->batches() : 0); }
  bool can_make() const { return has_room() && handed_out_ < end(); }
  bool can_plan() const {
    return has_room() && handed_out_ == end_of_current_ && !following_ && !planning_ && current_->epoch < last_epoch_;
  }

  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      work_.wait(lock, [&] { return stopping_ || can_make() || can_plan(); });
      if (stopping_) return;
      if (can_make()) {
        make_one(lock);
      } else {
        plan_following(lock);
      }
    }
  }

  void make_one(std::unique_lock<std::mutex>& lock) {
    const int64_t position = handed_out_++;
    const uint64_t generation = generation_;
    const bool in_current = position < end_of_current_;
    const Plan plan = in_current ? current_ : following_;
    const int64_t batch = batch_at(*plan, position, in_current ? end_of_current_ : end());
    lock.unlock();
    Slot made{.full = true, .batch = {}, .error = nullptr};
    try {
      made.batch = maker_.make(*plan, batch);
    } catch (...) {
      made.error = std::current_exception();
    }
    lock.lock();
    if (generation != generation_) return;
    slot_of(position) = std::move(made);
    ready_.notify_one();
  }

  void plan_following(std::unique_lock<std::mutex>& lock) {
    planning_ = true;
    const uint64_t generation = generation_;
    const int64_t epoch = current_->epoch + 1;
    lock.unlock();
    Plan plan;
    try {
      plan = plan_of(epoch);
    } catch (...) {  // start_epoch will meet it again, on the caller's thread
    }
    lock.lock();
    planning_ = false;
    if (generation != generation_) return;
    if (plan) {
      following_ = std::move(plan);
    } else {
      last_epoch_ = epoch - 1;
    }
    work_.notify_all();
  }

  const BatchMaker maker_;
  const DealBatch deal_;
  const int64_t first_batch_;
  mutable std::mutex mutex_;
  std::condition_variable work_;   // for workers: a slot is free, an epoch has begun, or all is over
  std::condition_variable ready_;  // for the consumer: a slot has been filled
  int64_t last_epoch_;
  std::optional<int64_t> first_epoch_;
  Plan current_, following_;
  std::span<const int64_t> rows_;  // of the batch that was taken last, in the plan; the consumer's alone
  int64_t taken_ = 0;              // position that the consumer takes next
  int64_t handed_out_ = 0;         // position that a worker takes next
  int64_t end_of_current_ = 0;     // position after the present epoch's last batch
  uint64_t generation_ = 0;
  bool planning_ = false;
  bool stopping_ = false;
  Clock::duration waited_{};
  std::vector<Slot> slots_;
  std::vector<std::thread> threads_;
};

Loader::Loader(Dataset dataset, LoaderOptions options) : max_batches_(options.max_batches) {
  if (dataset.source() && dataset.size() == kUnknownSize) {
    generator_ = std::make_unique<GeneratorLoader>(std::move(dataset), options);
  } else {
    impl_ = std::make_unique<Impl>(std::move(dataset), options);
  }
}
Loader::~Loader() = default;
void Loader::start_epoch(int64_t epoch) { generator_ ? generator_->start_epoch(epoch) : impl_->start_epoch(epoch); }
std::optional<Batch> Loader::next() { return generator_ ? generator_->next() : impl_->next(); }
void Loader::give_back() {
  if (generator_) generator_->give_back();
}
std::span<const int64_t> Loader::rows() const { return generator_ ? std::span<const int64_t>() : impl_->rows(); }
int64_t Loader::batches() const { return generator_ ? max_batches_ : impl_->batches(); }
bool Loader::spent() const { return generator_ && generator_->spent(); }
double Loader::waited() const { return generator_ ? generator_->waited() : impl_->waited(); }

}  // namespace tandem::data
