#pragma once
#include <cstdint>
#include <memory>

#include "tandem/core/device.h"
#include "tandem/model/model.h"
#include "tandem/model/multi_gpu.h"
#include "tandem/model/training_job.h"

namespace tandem {

/// A multi_gpu_model that trains in the background, in the order of calls that programs with a training thread have:
///     ParallelModel parallel(model, Devices{"cpu:0", "cpu:1"});
///     parallel.start();
///     parallel.fit(x, y, {.epochs = 10});   // returns at once
///     History history = parallel.wait();
///     parallel.stop();
/// Where `model` is compiled it is compiled alike, with the same optimizer object; else, or for something else, compile
/// it. Callbacks are called for it, on its training's thread, and what they save is the template. A handle: copies are
/// the same model and see the same training. As a Model it trains in the foreground.
class ParallelModel : public Model {
 public:
  /// On all visible GPUs, else on one CPU device.
  explicit ParallelModel(const Model& model);
  ParallelModel(const Model& model, int64_t gpus, MultiGpuOptions options = {});
  ParallelModel(const Model& model, const Devices& devices, MultiGpuOptions options = {});

  /// Makes replicas and their threads, where the model is built, and lets fit train. Throws InvalidArgument unless the
  /// model is compiled; nothing where it was called before.
  void start();
  /// Hands over a training and returns. Throws InvalidArgument before start(), while another is in progress, and on
  /// arguments that do not fit.
  void fit(const Tensors& x, const Tensors& y, const FitOptions& options = {});
  void fit(const Dataset& data, const FitOptions& options = {});
  /// Ends the training in progress after its step in flight, as TrainingJob::stop, and lets fit train no more until
  /// start(). Nothing where there is none.
  void stop();

  /// As TrainingJob's, of the last training; InvalidArgument where fit was not called.
  void pause();
  void resume();
  History wait();
  JobProgress progress() const;
  /// True while a training is in progress.
  bool running() const;

 private:
  struct Background;

  ParallelModel(const Model& model, Model parallel);
  void begin(const std::shared_ptr<TrainingJob>& job);
  std::shared_ptr<TrainingJob> job(const char* who) const;

  std::shared_ptr<Background> background_;
};

}  // namespace tandem
