#include "tandem/data/generator_loader.h"

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <c10/util/StringUtil.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "tandem/core/error.h"
#include "tandem/data/batch_check.h"
#include "tandem/data/chain.h"
#include "tandem/data/generator_source.h"
#include "tandem/data/rethrow_at.h"
#include "tandem/kernels/own_threads.h"

namespace tandem::data {

// What was made and not taken waits in a queue. With a thread of its own the stream and what batches are made with are
// that thread's while it runs; the queue is guarded by the mutex.
class GeneratorLoader::Impl {
 public:
  using Clock = std::chrono::steady_clock;

  Impl(Dataset dataset, const LoaderOptions& options)
      : dataset_(std::move(dataset)),
        source_(dynamic_cast<const GeneratorSource&>(*dataset_.source())),
        random_(options.random),
        max_batches_(options.max_batches),
        first_batch_(options.first_batch),
        ahead_(options.workers == 0 || dataset_.workers() == 0 ? 0 : dataset_.prefetch_batches()) {
    if (first_batch_ < 0)
      throw InvalidArgument(c10::str("Loader: first_batch must not be negative, got ", first_batch_));
  }
  ~Impl() { close(); }

  void start_epoch(int64_t epoch, bool keep = false) {
    close();
    waited_ = {};
    last_.reset();
    ended_ = false;
    epoch_ = epoch;
    made_ = rows_ = 0;
    try {
      stream_ = source_.open(epoch, keep);
    } catch (...) {
      rethrow_at(c10::str("epoch ", epoch));
    }
    for (int64_t i = std::exchange(first_batch_, 0); i > 0; --i) make();
    if (ahead_ > 0) start_thread();
  }

  std::optional<Batch> next() {
    if (!stream_) throw InvalidArgument("Loader: start_epoch must be called before next");
    last_.reset();
    if (ended_) return std::nullopt;
    const auto start = Clock::now();
    Made made = taken();
    waited_ += Clock::now() - start;
    if (made.error) std::rethrow_exception(made.error);
    ended_ = made.kind != Made::Kind::batch;
    spent_ = made.kind == Made::Kind::end_of_data && source_.is_stream();
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
      const Made& made = queue_.emplace_back(make());
      if (made.error) std::rethrow_exception(made.error);
      if (made.kind != Made::Kind::batch) break;
      batches.push_back(made.batch);
    }
    return batches;
  }

  bool spent() const { return spent_; }
  double waited() const { return std::chrono::duration<double>(waited_).count(); }

 private:
  struct Made {
    enum class Kind { batch, end_of_data, enough } kind = Kind::batch;
    Batch given, batch;  // before and after the transforms
    std::exception_ptr error;
  };

  Made make() {
    Made made;
    if (max_batches_ >= 0 && made_ == max_batches_) {
      made.kind = Made::Kind::enough;
      return made;
    }
    const at::NoGradGuard no_grad;
    try {
      try {
        auto given = stream_->take();
        if (!given) {
          made.kind = Made::Kind::end_of_data;
          return made;
        }
        check_.check(*given);
        made.given = std::move(*given);
        made.batch = transformed(made.given);
      } catch (...) {
        rethrow_at(c10::str("batch ", made_, " of epoch ", epoch_));
      }
    } catch (...) {
      made.error = std::current_exception();
    }
    ++made_;
    return made;
  }

  // Transforms may write to what they get, which must stay as it was given.
  Batch transformed(const Batch& given) {
    if (dataset_.transforms().empty()) return given;
    Batch own = given;
    for (auto* tensors : {&own.x, &own.y, &own.weights}) {
      for (Tensor& one : *tensors) one = one.defined() ? one.clone() : one;
    }
    std::vector<RandomStream> streams;
    const RandomStream random = random_.fold("rows").fold(static_cast<uint64_t>(epoch_));
    for (int64_t i = 0; i < given.rows(); ++i) streams.push_back(random.fold(static_cast<uint64_t>(rows_++)));
    Batch batch = apply_chain(dataset_.transforms(), std::move(own), streams);
    if (batch.rows() != given.rows())
      throw DataError(c10::str("the transforms must give ", given.rows(), " rows, got ", batch.rows()));
    return batch;
  }

  Made taken() {
    std::unique_lock lock(mutex_);
    if (thread_.joinable()) filled_.wait(lock, [&] { return !queue_.empty(); });
    if (queue_.empty()) {
      lock.unlock();
      return make();
    }
    Made made = std::move(queue_.front());
    queue_.pop_front();
    room_.notify_one();
    return made;
  }

  // at::set_num_threads also sets the number of threads that have none yet; the caller's is set again.
  void start_thread() {
    const int threads = at::get_num_threads();
    stopping_ = begun_ = false;
    thread_ = std::thread([this] { work(); });
    std::unique_lock lock(mutex_);
    filled_.wait(lock, [&] { return begun_; });
    at::set_num_threads(threads);
  }

  void work() {
    kernels::set_own_threads(1);
    std::unique_lock lock(mutex_);
    begun_ = true;
    filled_.notify_one();
    for (bool more = true; more;) {
      room_.wait(lock, [&] { return stopping_ || static_cast<int64_t>(queue_.size()) < ahead_; });
      if (stopping_) return;
      lock.unlock();
      Made made = make();
      more = !made.error && made.kind == Made::Kind::batch;
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
      if (!made->error && made->kind == Made::Kind::batch) stream_->give_back(std::move(made->given));
    }
    queue_.clear();
  }

  const Dataset dataset_;
  const GeneratorSource& source_;
  const RandomStream random_;
  const int64_t max_batches_;
  int64_t first_batch_;
  const int64_t ahead_;  // batches that a thread of its own makes; not positive: the caller makes them
  BatchCheck check_;
  std::shared_ptr<BatchStream> stream_;
  int64_t epoch_ = 0, made_ = 0, rows_ = 0;
  std::optional<Made> last_;  // taken
  bool ended_ = false, spent_ = false;
  Clock::duration waited_{};

  std::mutex mutex_;
  std::condition_variable room_, filled_;
  std::deque<Made> queue_;
  bool stopping_ = false, begun_ = false;
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
