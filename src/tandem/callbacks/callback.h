#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tandem/core/config.h"
#include "tandem/core/handle.h"
#include "tandem/core/log.h"
#include "tandem/core/logs.h"
#include "tandem/network/trained_model.h"

namespace tandem {

/// What a training was started with, as Keras's callback.params.
struct CallbackParams {
  int64_t epochs = 1;
  int64_t steps = -1;  // an epoch; -1: unknown
  int64_t verbose = 0;
};

/// Hooks into fit, evaluate and predict, as keras.callbacks.Callback. Epochs count from 0 as in Keras (and from
/// initial_epoch where that is given); what a hook sets in `logs` is seen by later callbacks and, at an epoch's end, by
/// the history. Where several processes train one model, each calls its own callbacks, with the same logs; hooks that
/// bring weights together or end the training must do so in all of them.
class Callback {
 public:
  virtual ~Callback() = default;

  virtual void set_model(TrainedModel* model) { model_ = model; }
  virtual void set_params(const CallbackParams& params) { params_ = params; }

  virtual void on_train_begin(Logs& /*logs*/) {}
  virtual void on_train_end(Logs& /*logs*/) {}
  virtual void on_epoch_begin(int64_t /*epoch*/, Logs& /*logs*/) {}
  virtual void on_epoch_end(int64_t /*epoch*/, Logs& /*logs*/) {}
  virtual void on_train_batch_begin(int64_t /*batch*/, Logs& /*logs*/) {}
  virtual void on_train_batch_end(int64_t /*batch*/, Logs& /*logs*/) {}
  virtual void on_test_begin(Logs& /*logs*/) {}
  virtual void on_test_end(Logs& /*logs*/) {}
  virtual void on_test_batch_begin(int64_t /*batch*/, Logs& /*logs*/) {}
  virtual void on_test_batch_end(int64_t /*batch*/, Logs& /*logs*/) {}
  virtual void on_predict_begin(Logs& /*logs*/) {}
  virtual void on_predict_end(Logs& /*logs*/) {}
  virtual void on_predict_batch_begin(int64_t /*batch*/, Logs& /*logs*/) {}
  virtual void on_predict_batch_end(int64_t /*batch*/, Logs& /*logs*/) {}

  virtual std::string class_name() const;
  virtual Config get_config() const { return Config::object(); }

  /// True for one that draws fit's progress: fit then draws none itself.
  virtual bool draws_progress() const { return false; }

  /// By Keras's name, with the arguments in `config` as get_config gives them; a missing one has Keras's default.
  /// Throws InvalidArgument on an unknown name or argument, an argument out of range, and for callbacks made of
  /// functions, which no config holds; DataError for an argument of another kind or one that must be there.
  static std::shared_ptr<Callback> make(const std::string& name, const Config& config);
  static std::shared_ptr<Callback> make(const std::string& name);

 protected:
  /// True in the process, mostly the only one, that writes files and prints.
  bool leads() const { return !model_ || model_->leads(); }
  /// Log there alone.
  void say(const std::string& line) const {
    if (leads()) log_info(line);
  }
  void warn(const std::string& line) const {
    if (leads()) log_warning(line);
  }

  /// Null outside of fit, evaluate and predict.
  TrainedModel* model_ = nullptr;
  CallbackParams params_;
};

}  // namespace tandem
