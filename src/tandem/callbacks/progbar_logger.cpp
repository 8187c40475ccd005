#include "tandem/callbacks/progbar_logger.h"

#include <iostream>
#include <optional>

#include "tandem/core/config_reader.h"
#include "tandem/report/progress_bar.h"
#include "tandem/report/terminal.h"

namespace tandem::callbacks {
namespace {

class BarDrawer : public Callback {
 public:
  std::string class_name() const override { return "ProgbarLogger"; }
  bool draws_progress() const override { return true; }

  void set_model(TrainedModel* model) override {
    Callback::set_model(model);
    if (model) return;
    fitting_ = false;
    bar_.reset();  // ends the line that a failed training left open
  }

  void on_train_begin(Logs&) override {
    fitting_ = true;
    begin();
  }
  void on_epoch_begin(int64_t epoch, Logs&) override { bar_->start_epoch(epoch, params_.epochs); }
  void on_train_batch_end(int64_t batch, Logs& logs) override { bar_->update(batch + 1, logs); }
  void on_epoch_end(int64_t, Logs& logs) override { bar_->finish_epoch(logs); }
  void on_train_end(Logs&) override { fitting_ = false; }

  // The validation of fit is silent.
  void on_test_begin(Logs&) override {
    if (!fitting_) begin_pass();
  }
  void on_test_batch_end(int64_t batch, Logs& logs) override {
    if (!fitting_) bar_->update(batch + 1, logs);
  }
  void on_test_end(Logs& logs) override {
    if (!fitting_) bar_->finish_epoch(logs);
  }

  void on_predict_begin(Logs&) override { begin_pass(); }
  void on_predict_batch_end(int64_t batch, Logs& logs) override { bar_->update(batch + 1, logs); }
  void on_predict_end(Logs& logs) override { bar_->finish_epoch(logs); }

 private:
  void begin() {
    bar_.emplace(std::cout, report::ProgressOptions{.total_steps = params_.steps,
                                                    .verbose = static_cast<int>(params_.verbose),
                                                    .terminal = report::is_terminal(std::cout)});
  }
  void begin_pass() {
    begin();
    bar_->start_epoch(0, 1);
  }

  std::optional<report::ProgressBar> bar_;
  bool fitting_ = false;
};

}  // namespace

ProgbarLogger::ProgbarLogger() : Handle(std::make_shared<BarDrawer>()) {}

ProgbarLogger ProgbarLogger::from_config(const Config& config) {
  ConfigReader("ProgbarLogger", config).finish();
  return {};
}

}  // namespace tandem::callbacks
