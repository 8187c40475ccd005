#include "tandem/callbacks/early_stopping.h"

#include <c10/util/StringUtil.h>

#include <cmath>

#include "tandem/callbacks/monitor.h"
#include "tandem/core/config_reader.h"
#include "tandem/core/error.h"

namespace tandem::callbacks {
namespace {

class Stopper : public Callback {
 public:
  explicit Stopper(EarlyStoppingOptions options)
      : options_(std::move(options)), monitor_("EarlyStopping", options_.monitor, options_.mode, options_.min_delta) {
    check_not_negative("EarlyStopping", "patience", options_.patience);
    check_not_negative("EarlyStopping", "start_from_epoch", options_.start_from_epoch);
    if (options_.baseline && std::isnan(*options_.baseline))
      throw InvalidArgument("EarlyStopping: baseline must be a number, got nan");
  }

  std::string class_name() const override { return "EarlyStopping"; }
  Config get_config() const override {
    return Config::object({{"monitor", options_.monitor},
                           {"min_delta", options_.min_delta},
                           {"patience", options_.patience},
                           {"verbose", options_.verbose},
                           {"mode", options_.mode},
                           {"baseline", options_.baseline ? Config(*options_.baseline) : Config()},
                           {"restore_best_weights", options_.restore_best_weights},
                           {"start_from_epoch", options_.start_from_epoch}});
  }

  void on_train_begin(Logs&) override {
    monitor_.begin(*model_);
    wait_ = stopped_epoch = best_epoch = 0;
    best.reset();
    best_weights_.clear();
  }

  void on_epoch_end(int64_t epoch, Logs& logs) override {
    const auto current = monitor_.value(epoch, logs, "such epochs count for nothing");
    if (!current || epoch < options_.start_from_epoch) return;
    ++wait_;
    if (monitor_.improves(*current, best)) {
      best = current;
      best_epoch = epoch;
      if (options_.restore_best_weights) {
        best_weights_.clear();  // not both copies at a time
        best_weights_ = model_->get_weights();
      }
      if (!options_.baseline || monitor_.improves(*current, options_.baseline)) wait_ = 0;
    } else if (wait_ >= options_.patience && epoch > 0) {
      stopped_epoch = epoch;
      model_->stop_training();
    }
  }

  void on_train_end(Logs&) override {
    if (stopped_epoch > 0 && options_.verbose > 0) say(c10::str("Epoch ", stopped_epoch + 1, ": early stopping"));
    if (best_weights_.empty()) return;
    if (options_.verbose > 0) {
      say(c10::str("Restoring model weights from the end of the best epoch: ", best_epoch + 1, "."));
    }
    model_->set_weights(best_weights_);
    best_weights_.clear();
  }

  int64_t stopped_epoch = 0, best_epoch = 0;
  std::optional<double> best;

 private:
  EarlyStoppingOptions options_;
  Monitor monitor_;
  int64_t wait_ = 0;
  std::vector<Tensor> best_weights_;
};

const Stopper& stopper(const Handle<Callback>& handle) { return static_cast<const Stopper&>(*handle.object()); }

}  // namespace

EarlyStopping::EarlyStopping(EarlyStoppingOptions options) : Handle(std::make_shared<Stopper>(std::move(options))) {}

EarlyStopping EarlyStopping::from_config(const Config& config) {
  EarlyStoppingOptions options;
  ConfigReader("EarlyStopping", config)
      .read("monitor", options.monitor)
      .read("min_delta", options.min_delta)
      .read("patience", options.patience)
      .read("verbose", options.verbose)
      .read("mode", options.mode)
      .read("baseline", options.baseline)
      .read("restore_best_weights", options.restore_best_weights)
      .read("start_from_epoch", options.start_from_epoch)
      .finish();
  return EarlyStopping(std::move(options));
}

int64_t EarlyStopping::stopped_epoch() const { return stopper(*this).stopped_epoch; }
int64_t EarlyStopping::best_epoch() const { return stopper(*this).best_epoch; }
std::optional<double> EarlyStopping::best() const { return stopper(*this).best; }

}  // namespace tandem::callbacks
