#pragma once
#include <c10/util/StringUtil.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tandem/callbacks/callback.h"
#include "tandem/callbacks/history.h"
#include "tandem/core/error.h"
#include "tandem/core/random.h"
#include "tandem/data/dataset.h"
#include "tandem/network/network.h"
#include "tandem/network/trained_model.h"
#include "tandem/training/step_gate.h"
#include "tandem/training/trainer_plans.h"

namespace tandem::distribute {
class NamedOptions;
}  // namespace tandem::distribute

namespace tandem {

class CallbackList;
struct RunningFigures;

/// Throws InvalidArgument: a function that gives batches gave none.
[[noreturn]] void throw_no_batch(const char* who);

/// The loops behind fit, evaluate and predict. It keeps replicas, optimizer state and the count of what was trained, so
/// that a second fit goes on where the first ended: two fits of one epoch equal one fit of two, to the bit.
///
/// Calls from several threads wait for one another. Within a callback, and while a training is held at its gate,
/// evaluate and predict see the weights of that moment. A fit within a fit throws InvalidArgument; from another thread
/// it waits for its turn.
class Trainer {
 public:
  explicit Trainer(TrainerParts parts);
  ~Trainer();

  History fit(const FitPlan& plan, TrainedModel& model);
  Logs evaluate(const PassPlan& plan, TrainedModel& model);
  Tensors predict(const PassPlan& plan, TrainedModel& model);

  /// One step with the rows of `data`, all of them in one batch: its losses and metrics alone, as Keras's *_on_batch.
  Logs train_on_batch(const Dataset& data);
  Logs test_on_batch(const Dataset& data);
  Tensors predict_on_batch(const Dataset& data);

  /// Brings the masters up to date with the replicas, and the other way round.
  void store();
  void load();

  /// True in the process, mostly the only one, that writes files and prints.
  bool leads() const { return parts_.strategy->leads(); }

  /// Binds the program to its devices if that has not been done; the network must be built. Waits for other processes
  /// end with Stopped when `gate` says so.
  distribute::Execution& execution(const StepGate* gate = nullptr);
  const TrainerParts& parts() const { return parts_; }
  /// True once an update was made.
  bool has_trained() const { return execution_ && execution_->iterations() > 0; }
  /// True once the optimizer's state may differ from the one it begins with: after a step, whose update may have been
  /// left out and its loss scale halved, and where the state was set.
  bool has_state() const { return has_trained() || state_set_ || (execution_ && execution_->steps() > 0); }
  void set_optimizer_state(const StateDict& state);
  int64_t epochs_trained() const { return epochs_trained_; }
  /// True while fit, evaluate or predict runs.
  bool busy() const { return uses_ > 0; }
  /// Puts the weights in the place of the averages that the optimizer keeps of them; swap_averages these in theirs too.
  /// Throw InvalidArgument where it keeps none or has made no update.
  void swap_averages() { exchange_averages(true); }
  void set_averages() { exchange_averages(false); }

  /// For the fit that is about to begin (TrainedModel).
  TrainingProgress progress() { return {passes_, execution().steps()}; }
  void begin_at(int64_t epoch, const std::optional<TrainingProgress>& progress);

  void stop() { stopping_ = true; }
  bool stopping() const { return stopping_; }

  /// While one lives the trainer counts as busy: a training that another thread is about to begin.
  class Reservation {
   public:
    explicit Reservation(Trainer& trainer) : trainer_(trainer) { ++trainer_.uses_; }
    ~Reservation() { --trainer_.uses_; }
    Reservation(const Reservation&) = delete;
    Reservation& operator=(const Reservation&) = delete;

   private:
    Trainer& trainer_;
  };

 private:
  class FitLoop;

  // One call of fit, evaluate or predict. Of several threads one goes on; hooks of that thread may call in again.
  class Use {
   public:
    explicit Use(Trainer& trainer) : reserved_(trainer), trainer_(trainer), lock_(trainer.mutex_) { ++trainer_.depth_; }
    ~Use() { --trainer_.depth_; }

   private:
    Reservation reserved_;
    Trainer& trainer_;
    std::lock_guard<std::recursive_mutex> lock_;
  };
  // Lets other threads in while this one, whose only Use it is, waits for something between steps.
  class Outside {
   public:
    explicit Outside(Trainer& trainer) : trainer_(trainer) {}
    void unlock() {
      depth_ = std::exchange(trainer_.depth_, 0);
      trainer_.mutex_.unlock();
    }
    void lock() {
      trainer_.mutex_.lock();
      trainer_.depth_ = depth_;
    }

   private:
    Trainer& trainer_;
    int64_t depth_ = 0;
  };
  // While one lives its thread's fit is the one that trains.
  class Fitting {
   public:
    explicit Fitting(Trainer& trainer) : trainer_(trainer) {
      trainer_.fitting_ = true;
      trainer_.fitting_thread_ = std::this_thread::get_id();
    }
    ~Fitting() {
      trainer_.fitting_ = false;
      trainer_.fit_ended_.notify_all();
    }
    Fitting(const Fitting&) = delete;
    Fitting& operator=(const Fitting&) = delete;

   private:
    Trainer& trainer_;
  };

  void bind(const Dataset& data, const StepGate* gate = nullptr);
  // Brings replicas and masters together before a pass: within a callback of fit the replicas are ahead. With several
  // processes all go on from what the first one knows.
  void begin_pass();
  // Throws InvalidArgument naming the process that was given other data, or other options.
  void check_same(const char* who, const Dataset& data, int64_t batch_size, const distribute::NamedOptions& options);
  void align();
  // Goes on from what the first of a crowd knows. Each of them calls it as often.
  void follow_crowd();
  distribute::PeerMessage progress_message() const;
  void take_progress(distribute::PeerMessage first);
  // What any of the processes that train together wants, all of them know; alone it is its own.
  struct Wishes {
    bool look = false;       // at the figures so far
    bool stop = false;       // after this step, as stop_training
    bool interrupt = false;  // as a gate that was closed for good
  };
  Wishes agree(const Wishes& own);
  // Runs `work`, which makes steps; where it fails the other processes hear of it, and a lost one's error names the
  // step.
  template <class Work>
  auto together(const char* who, const Work& work);
  // Throws InvalidArgument when batches of `data` cannot be those of a network that keeps states of fixed rows.
  void check_batches_of(const char* who, const Dataset& data, int64_t batch_size, int64_t batches) const;
  // The same of one batch of those that a function gives.
  void check_rows(const char* who, const data::Batch& batch) const;
  data::Batch one_batch(const char* who, const Dataset& data);
  void require_loss(const char* who) const;
  void await_turn();
  // Goes through the gate of a training, where it has one, other threads being let in while it is closed; false when
  // the training is to end.
  bool pass(StepGate* gate);
  // Makes the update that accumulated steps have left open.
  void finish_update();
  void exchange_averages(bool weights_too);
  // Writes the optimizer's averages of the weights over them, where it keeps some.
  void take_averages();
  // Nothing when the gate ended it.
  std::optional<Logs> run_evaluate(const PassPlan& plan, const CallbackList& callbacks, bool within_fit);
  Tensors run_predict(const PassPlan& plan, const CallbackList& callbacks);
  RunningFigures running_figures() const;

  TrainerParts parts_;
  std::unique_ptr<distribute::Execution> execution_;
  RandomStream random_;
  int64_t epochs_trained_ = 0;
  std::optional<int64_t> begins_at_;   // the epoch of the fit that is about to begin, where a callback has set it
  int64_t passes_ = 0;                 // over the data, which steps_per_epoch sets apart from epochs
  std::vector<Weight> bound_weights_;  // those that the execution knows
  std::recursive_mutex mutex_;
  std::atomic<int64_t> uses_ = 0;
  std::atomic<bool> stopping_ = false;
  bool state_set_ = false;  // by set_optimizer_state
  // Guarded by mutex_.
  int64_t depth_ = 0;  // calls of the thread that holds it, one within the other
  bool fitting_ = false;
  std::thread::id fitting_thread_;
  std::condition_variable_any fit_ended_;
  distribute::Peers::Topic align_topic_, wishes_topic_;
  bool update_open_ = false;        // steps have left gradients behind for the next update
  double held_seconds_ = 0;         // that this training waited at its gate
  int64_t checked_batch_size_ = 0;  // for which it is known whether one device is faster
};

template <class Work>
auto Trainer::together(const char* who, const Work& work) {
  if (!execution_->peers()) return work();
  const auto where = [&] { return c10::str(who, ", step ", execution_->steps() + 1); };
  const auto part = [&](const std::string& why) {
    execution_->part(c10::str("rank ", execution_->peers()->rank(), " failed in ", where(), ": ", why));
  };
  try {
    return work();
  } catch (const PeerError& error) {
    execution_->part(error.what());
    throw PeerError(c10::str(where(), ": ", error.what()));
  } catch (const std::exception& error) {
    part(error.what());
    throw;
  } catch (...) {
    part("an exception that is none of the standard library's");
    throw;
  }
}

}  // namespace tandem
