#include "tandem/callbacks/reduce_lr_on_plateau.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <optional>

#include "tandem/callbacks/monitor.h"
#include "tandem/core/config_reader.h"
#include "tandem/core/error.h"
#include "tandem/core/python_text.h"

namespace tandem::callbacks {
namespace {

class Reducer : public Callback {
 public:
  explicit Reducer(ReduceLROnPlateauOptions options)
      : options_(std::move(options)),
        monitor_("ReduceLROnPlateau", options_.monitor, options_.mode, options_.min_delta) {
    if (!(options_.factor >= 0 && options_.factor < 1))
      throw InvalidArgument(c10::str("ReduceLROnPlateau: factor must be in [0, 1), got ", options_.factor));
    if (!(options_.min_lr >= 0))
      throw InvalidArgument(c10::str("ReduceLROnPlateau: min_lr must not be negative, got ", options_.min_lr));
    check_not_negative("ReduceLROnPlateau", "patience", options_.patience);
    check_not_negative("ReduceLROnPlateau", "cooldown", options_.cooldown);
  }

  std::string class_name() const override { return "ReduceLROnPlateau"; }
  Config get_config() const override {
    return Config::object({{"monitor", options_.monitor},
                           {"factor", options_.factor},
                           {"patience", options_.patience},
                           {"verbose", options_.verbose},
                           {"mode", options_.mode},
                           {"min_delta", options_.min_delta},
                           {"cooldown", options_.cooldown},
                           {"min_lr", options_.min_lr}});
  }

  void on_train_begin(Logs&) override {
    monitor_.begin(*model_);
    best_.reset();
    wait_ = cooling_ = 0;
  }

  void on_epoch_end(int64_t epoch, Logs& logs) override {
    if (!logs.empty()) logs.set("learning_rate", model_->learning_rate());  // Keras's history lacks it then, too
    const auto current = monitor_.value(epoch, logs, "such epochs count for nothing");
    if (!current) return;
    if (cooling_ > 0) {
      --cooling_;
      wait_ = 0;
    }
    if (monitor_.improves(*current, best_)) {
      best_ = current;
      wait_ = 0;
    } else if (cooling_ == 0 && ++wait_ >= options_.patience && reduce(epoch)) {
      cooling_ = options_.cooldown;
      wait_ = 0;
    }
  }

 private:
  // False when the rate is as low as it may get: rates are float32 in Keras, and compared as such.
  bool reduce(int64_t epoch) const {
    const double old = model_->learning_rate();
    if (!(static_cast<float>(old) > static_cast<float>(options_.min_lr))) return false;
    const double rate = std::max(old * options_.factor, options_.min_lr);
    model_->set_learning_rate(rate);
    if (options_.verbose > 0) {
      say(c10::str("Epoch ", epoch + 1, ": ReduceLROnPlateau reducing learning rate to ", python_text(rate), "."));
    }
    return true;
  }

  ReduceLROnPlateauOptions options_;
  Monitor monitor_;
  std::optional<double> best_;
  int64_t wait_ = 0, cooling_ = 0;
};

}  // namespace

ReduceLROnPlateau::ReduceLROnPlateau(ReduceLROnPlateauOptions options)
    : Handle(std::make_shared<Reducer>(std::move(options))) {}

ReduceLROnPlateau ReduceLROnPlateau::from_config(const Config& config) {
  ReduceLROnPlateauOptions options;
  ConfigReader("ReduceLROnPlateau", config)
      .read("monitor", options.monitor)
      .read("factor", options.factor)
      .read("patience", options.patience)
      .read("verbose", options.verbose)
      .read("mode", options.mode)
      .read("min_delta", options.min_delta)
      .read("cooldown", options.cooldown)
      .read("min_lr", options.min_lr)
      .finish();
  return ReduceLROnPlateau(std::move(options));
}

}  // namespace tandem::callbacks
