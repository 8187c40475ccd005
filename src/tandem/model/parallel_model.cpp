#include "tandem/model/parallel_model.h"

#include <c10/util/StringUtil.h>

#include <mutex>
#include <utility>

#include "tandem/core/error.h"
#include "tandem/model/body.h"

namespace tandem {

struct ParallelModel::Background {
  std::mutex mutex;
  bool ready = false;
  std::shared_ptr<TrainingJob> job;  // the last one
};

ParallelModel::ParallelModel(const Model& model, Model parallel)
    : Model(std::move(parallel)), background_(std::make_shared<Background>()) {
  const auto& compiled = model.body().compile_options();
  if (!compiled) return;
  CompileOptions options = *compiled;
  options.strategy = {};  // the devices are this model's own
  compile(options);
}

ParallelModel::ParallelModel(const Model& model) : ParallelModel(model, Devices::parse("auto")) {}

ParallelModel::ParallelModel(const Model& model, int64_t gpus, MultiGpuOptions options)
    : ParallelModel(model, Devices::gpus(gpus), options) {}

ParallelModel::ParallelModel(const Model& model, const Devices& devices, MultiGpuOptions options)
    : ParallelModel(model, multi_gpu_model(model, devices, options)) {}

void ParallelModel::start() {
  if (!body().compiled())
    throw InvalidArgument(c10::str("start: parallel model '", name(), "' must be compiled first"));
  if (network()->built()) body().trainer().execution();
  const std::lock_guard lock(background_->mutex);
  background_->ready = true;
}

void ParallelModel::fit(const Tensors& x, const Tensors& y, const FitOptions& options) {
  begin(std::make_shared<TrainingJob>(*this, x, y, options));
}

void ParallelModel::fit(const Dataset& data, const FitOptions& options) {
  begin(std::make_shared<TrainingJob>(*this, data, options));
}

void ParallelModel::begin(const std::shared_ptr<TrainingJob>& job) {
  const std::lock_guard lock(background_->mutex);
  if (!background_->ready) throw InvalidArgument(c10::str("fit: start() of parallel model '", name(), "' comes first"));
  if (background_->job && background_->job->running()) {
    throw InvalidArgument(
        c10::str("fit: parallel model '", name(), "' is being trained already; wait() for it, or stop() it"));
  }
  job->start();
  background_->job = job;
}

void ParallelModel::stop() {
  std::shared_ptr<TrainingJob> last;
  {
    const std::lock_guard lock(background_->mutex);
    background_->ready = false;
    last = background_->job;
  }
  if (last) last->stop();
}

std::shared_ptr<TrainingJob> ParallelModel::job(const char* who) const {
  const std::lock_guard lock(background_->mutex);
  if (!background_->job) throw InvalidArgument(c10::str(who, ": fit of parallel model '", name(), "' comes first"));
  return background_->job;
}

void ParallelModel::pause() { job("pause")->pause(); }
void ParallelModel::resume() { job("resume")->resume(); }
History ParallelModel::wait() { return job("wait")->wait(); }
JobProgress ParallelModel::progress() const { return job("progress")->progress(); }

bool ParallelModel::running() const {
  const std::lock_guard lock(background_->mutex);
  return background_->job && background_->job->running();
}

}  // namespace tandem
