#include "tandem/callbacks/terminate_on_nan.h"

#include <c10/util/StringUtil.h>

#include <cmath>

#include "tandem/core/config_reader.h"
#include "tandem/core/error.h"
#include "tandem/core/python_text.h"

namespace tandem::callbacks {
namespace {

class Terminator : public Callback {
 public:
  explicit Terminator(TerminateOnNaNOptions options) : options_(options) {}
  std::string class_name() const override { return "TerminateOnNaN"; }
  Config get_config() const override { return Config::object({{"raise_error", options_.raise_error}}); }

  void on_train_batch_end(int64_t batch, Logs& logs) override {
    if (!logs.contains("loss") || std::isfinite(logs["loss"])) return;
    if (options_.raise_error)
      throw Error(c10::str("TerminateOnNaN: loss must be finite, is ", python_text(logs["loss"]), " at batch ", batch));
    warn(c10::str("Batch ", batch, ": Invalid loss, terminating training"));
    model_->stop_training();
  }

 private:
  TerminateOnNaNOptions options_;
};

}  // namespace

TerminateOnNaN::TerminateOnNaN(TerminateOnNaNOptions options) : Handle(std::make_shared<Terminator>(options)) {}

TerminateOnNaN TerminateOnNaN::from_config(const Config& config) {
  TerminateOnNaNOptions options;
  ConfigReader("TerminateOnNaN", config).read("raise_error", options.raise_error).finish();
  return TerminateOnNaN(options);
}

}  // namespace tandem::callbacks
