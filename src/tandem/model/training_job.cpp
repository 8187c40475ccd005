#include "tandem/model/training_job.h"

#include <c10/util/StringUtil.h>

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "tandem/core/error.h"
#include "tandem/core/log.h"
#include "tandem/model/body.h"
#include "tandem/model/fit_plan.h"

namespace tandem {

class TrainingJob::Impl {
 public:
  using MakePlan = std::function<FitPlan(ModelBody&)>;

  Impl(const Model& model, MakePlan make_plan) : model_(model), make_plan_(std::move(make_plan)) {
    model_.body();  // names an empty model
  }

  static void start(const std::shared_ptr<Impl>& impl) {
    auto& job = *impl;
    const std::lock_guard lock(job.mutex_);
    if (job.started_) job.refuse("start: it was started before; make another TrainingJob");
    auto& body = job.model_.body();
    FitPlan plan = job.make_plan_(body);
    plan.gate = &job.gate_;
    plan.board = &job.board_;
    job.reserved_.emplace(body.trainer());
    job.thread_ = std::thread([impl, plan = std::move(plan)]() mutable { impl->train(std::move(plan)); });
    job.started_ = true;
    job.make_plan_ = {};  // holds callbacks, which may hold this job
  }

  void pause() { gate_.pause(); }
  void resume() { gate_.resume(); }

  void stop() {
    gate_.stop();
    std::unique_lock lock(mutex_);
    if (on_own_thread()) return;
    changed_.wait(lock, [this] { return !started_ || ended_; });
  }
  void request_stop() { gate_.stop(); }

  History wait() {
    std::unique_lock lock(mutex_);
    if (!started_) refuse("wait: it must be started first");
    if (on_own_thread()) refuse("wait: its own callbacks must not wait for it");
    if (!ended_ && gate_.paused()) refuse("wait: it is paused; resume or stop it first");
    changed_.wait(lock, [this] { return ended_; });
    error_seen_ = true;
    if (error_) std::rethrow_exception(error_);
    return history_;
  }

  bool running() const {
    const std::lock_guard lock(mutex_);
    return started_ && !ended_;
  }

  JobProgress progress() const { return board_.read(); }

  // The job's handle is gone.
  void let_go() {
    stop();
    if (on_own_thread()) {
      thread_.detach();
      return;
    }
    if (thread_.joinable()) thread_.join();
    if (error_ && !error_seen_) log_warning(c10::str("training of '", model_.name(), "' failed: ", message()));
  }

 private:
  void train(FitPlan plan) {
    History history;
    std::exception_ptr error;
    try {
      auto& body = model_.body();
      history = body.trainer().fit(plan, body);
    } catch (...) {
      error = std::current_exception();
    }
    gate_.end();
    const std::lock_guard lock(mutex_);
    history_ = std::move(history);
    error_ = std::move(error);
    reserved_.reset();
    ended_ = true;
    changed_.notify_all();
  }

  bool on_own_thread() const { return thread_.get_id() == std::this_thread::get_id(); }

  [[noreturn]] void refuse(const char* why) const {
    throw InvalidArgument(c10::str("TrainingJob of model '", model_.name(), "': ", why));
  }

  std::string message() const {
    try {
      std::rethrow_exception(error_);
    } catch (const std::exception& error) {
      return error.what();
    } catch (...) {
      return "an exception that is none of the standard library's";
    }
  }

  Model model_;
  MakePlan make_plan_;
  StepGate gate_;
  ProgressBoard board_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool started_ = false, ended_ = false, error_seen_ = false;
  std::optional<Trainer::Reservation> reserved_;  // the model must not be compiled anew
  History history_;
  std::exception_ptr error_;
  std::thread thread_;
};

TrainingJob::TrainingJob(const Model& model, const Tensors& x, const Tensors& y, const FitOptions& options)
    : impl_(std::make_shared<Impl>(model,
                                   [x, y, options](ModelBody& body) { return make_fit_plan(body, x, y, options); })) {}

TrainingJob::TrainingJob(const Model& model, const Dataset& data, const FitOptions& options)
    : impl_(std::make_shared<Impl>(model,
                                   [data, options](ModelBody& body) { return make_fit_plan(body, data, options); })) {}

TrainingJob::TrainingJob(TrainingJob&&) noexcept = default;

TrainingJob& TrainingJob::operator=(TrainingJob&& other) noexcept {
  std::swap(impl_, other.impl_);  // what this one was ends with `other`
  return *this;
}

TrainingJob::~TrainingJob() {
  if (impl_) impl_->let_go();
}

void TrainingJob::start() { Impl::start(impl_); }
void TrainingJob::pause() { impl_->pause(); }
void TrainingJob::resume() { impl_->resume(); }
void TrainingJob::stop() { impl_->stop(); }
void TrainingJob::request_stop() { impl_->request_stop(); }
History TrainingJob::wait() { return impl_->wait(); }
bool TrainingJob::running() const { return impl_->running(); }
JobProgress TrainingJob::progress() const { return impl_->progress(); }

}  // namespace tandem
