#include "tandem/data/generator_loader.h"

#include <c10/util/StringUtil.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "tandem/core/error.h"
#include "tandem/data/generated_batches.h"
#include "tandem/kernels/own_threads.h"

namespace tandem::data {

// What was made and not taken waits in a queue, which the mutex guards. A thread of its own has batches_ for itself.
class GeneratorLoader::Impl {
 public:
  using Clock = std::chrono::steady_clock;

  Impl(Dataset dataset, const LoaderOptions& options)
      : batches_(std::move(dataset), options.max_batches, options.random),
        ahead_(options.workers == 0 || batches_.dataset().workers() == 0 ? 0 : batches_.dataset().prefetch_batches()) {}
  ~Impl() { close(); }

  void start_epoch(int64_t epoch, bool keep = false) {
    close();
    waited_ = {};
    last_.reset();
    ended_ = false;
    batches_.open(epoch, keep);
    stopping_ = false;
    if (ahead_ > 0) thread_ = kernels::start_thread(1, [this] { work(); });
  }

  std::optional<Batch> next() {
    if (!batches_.is_open()) throw InvalidArgument("Loader: start_epoch must be called before next");
    last_.reset();
    if (ended_) return std::nullopt;
    const auto start = Clock::now();
    GeneratedBatch made = taken();
    waited_ += Clock::now() - start;
    ended_ = !made.usable();
    if (made.error) std::rethrow_exception(made.error);
    spent_ = made.kind == GeneratedBatch::Kind::end_of_data && batches_.is_stream();
    if (ended_) return std::nullopt;
    Batch batch = made.batch;
    last_ = std::move(made);
    return batch;
  }

  void give_back() {
    if (!last_) return;
    const std::lock_guard lock(mutex_);
    queue_.push_front(*std::exchange(last_, std::nullopt));
  }

  std::vector<Batch> peek(int64_t count) {
    std::vector<Batch> batches;
    while (static_cast<int64_t>(batches.size()) < count) {
      const GeneratedBatch& made = queue_.emplace_back(batches_.make());
      if (made.error) std::rethrow_exception(made.error);
      if (!made.usable()) break;
      batches.push_back(made.batch);
    }
    return batches;
  }

  bool spent() const { return spent_; }
  double waited() const { return std::chrono::duration<double>(waited_).count(); }

 private:
  GeneratedBatch taken() {
    std::unique_lock lock(mutex_);
    if (thread_.joinable()) filled_.wait(lock, [&] { return !queue_.empty(); });
    if (queue_.empty()) {
      lock.unlock();
      return batches_.make();
    }
    GeneratedBatch made = std::move(queue_.front());
    queue_.pop_front();
    room_.notify_one();
    return made;
  }

  void work() {
    std::unique_lock lock(mutex_);
    for (bool more = true; more;) {
      room_.wait(lock, [&] { return stopping_ || static_cast<int64_t>(queue_.size()) < ahead_; });
      if (stopping_) return;
      lock.unlock();
      GeneratedBatch made = batches_.make();
      more = made.usable();
      lock.lock();
      queue_.push_back(std::move(made));
      filled_.notify_one();
    }
  }

  // Ends the thread and gives what nobody took back to the stream.
  void close() {
    if (thread_.joinable()) {
      {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
      }
      room_.notify_one();
      thread_.join();
    }
    for (auto made = queue_.rbegin(); made != queue_.rend(); ++made) {
      if (made->usable()) batches_.give_back(std::move(made->given));
    }
    queue_.clear();
  }

  GeneratedBatches batches_;
  const int64_t ahead_;                 // batches that a thread of its own makes; not positive: the caller makes them
  std::optional<GeneratedBatch> last_;  // taken
  bool ended_ = false, spent_ = false;
  Clock::duration waited_{};

  std::mutex mutex_;
  std::condition_variable room_, filled_;
  std::deque<GeneratedBatch> queue_;
  bool stopping_ = false;
  std::thread thread_;
};

GeneratorLoader::GeneratorLoader(Dataset dataset, const LoaderOptions& options)
    : impl_(std::make_unique<Impl>(std::move(dataset), options)) {}
GeneratorLoader::~GeneratorLoader() = default;
void GeneratorLoader::start_epoch(int64_t epoch) { impl_->start_epoch(epoch); }
std::optional<Batch> GeneratorLoader::next() { return impl_->next(); }
void GeneratorLoader::give_back() { impl_->give_back(); }
bool GeneratorLoader::spent() const { return impl_->spent(); }
double GeneratorLoader::waited() const { return impl_->waited(); }

std::vector<Batch> first_batches(const Dataset& dataset, int64_t count, const RandomStream& random) {
  GeneratorLoader::Impl loader(dataset, {.random = random, .workers = 0});
  loader.start_epoch(0, /*keep=*/true);
  return loader.peek(count);
}

}  // namespace tandem::data
