#include "tandem/callbacks/trace.h"

#include <c10/util/StringUtil.h>

#include "tandem/callbacks/folder_of.h"
#include "tandem/core/config_reader.h"
#include "tandem/core/error.h"
#include "tandem/report/trace.h"

namespace tandem::callbacks {
namespace {

class LayerTrace : public Callback {
 public:
  LayerTrace(std::string filename, TraceOptions options) : filename_(std::move(filename)), options_(options) {
    if (options_.first_batch < 0)
      throw InvalidArgument(c10::str("Trace: first_batch must not be negative, got ", options_.first_batch));
    if (options_.batches < -1 || options_.batches == 0) {
      throw InvalidArgument(
          c10::str("Trace: batches must be positive, or -1 for all that follow, got ", options_.batches));
    }
  }

  std::string class_name() const override { return "Trace"; }
  Config get_config() const override {
    return Config::object(
        {{"filename", filename_}, {"first_batch", options_.first_batch}, {"batches", options_.batches}});
  }

  void on_train_begin(Logs&) override {
    if (leads()) make_folder_of(filename_, "Trace");
    batch_ = 0;
    recording_ = false;
  }
  void on_train_batch_begin(int64_t, Logs&) override {
    if (batch_ == options_.first_batch) {
      recording_ = true;
      model_->record_trace(true);
    }
    ++batch_;
  }
  void on_train_batch_end(int64_t, Logs&) override {
    if (recording_ && options_.batches > 0 && batch_ == options_.first_batch + options_.batches) finish();
  }
  void on_train_end(Logs&) override {
    if (recording_) finish();
  }

 private:
  void finish() {
    recording_ = false;
    model_->record_trace(false);
    if (leads()) report::write_trace(model_->trace(), filename_);
  }

  std::string filename_;
  TraceOptions options_;
  int64_t batch_ = 0;
  bool recording_ = false;
};

}  // namespace

Trace::Trace(std::string filename, TraceOptions options)
    : Handle(std::make_shared<LayerTrace>(std::move(filename), options)) {}

Trace Trace::from_config(const Config& config) {
  std::string filename;
  TraceOptions options;
  ConfigReader("Trace", config)
      .require("filename", filename)
      .read("first_batch", options.first_batch)
      .read("batches", options.batches)
      .finish();
  return Trace(std::move(filename), options);
}

}  // namespace tandem::callbacks
