#include "tandem/callbacks/model_checkpoint.h"

#include <c10/util/StringUtil.h>

#include <cmath>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "tandem/callbacks/file_pattern.h"
#include "tandem/callbacks/folder_of.h"
#include "tandem/callbacks/monitor.h"
#include "tandem/core/config_reader.h"
#include "tandem/core/error.h"

namespace tandem::callbacks {
namespace {

void check_ending(const std::string& filepath, bool weights) {
  const std::string_view name = filepath;
  if (name.ends_with(".h5") || name.ends_with(".hdf5") || (!weights && name.ends_with(".keras"))) return;
  throw InvalidArgument(c10::str("ModelCheckpoint: file name must end with ",
                                 weights ? ".weights.h5 or .h5 with save_weights_only" : ".keras or .h5", ", got '",
                                 filepath, "'"));
}

class Checkpointer : public Callback {
 public:
  Checkpointer(std::string filepath, ModelCheckpointOptions options)
      : best(options.initial_value_threshold),
        options_(std::move(options)),
        pattern_("ModelCheckpoint", std::move(filepath)),
        monitor_("ModelCheckpoint", options_.monitor, options_.mode) {
    check_ending(pattern_.text(), options_.save_weights_only);
    if (options_.period < 1)
      throw InvalidArgument(c10::str("ModelCheckpoint: period must be at least 1 epoch, got ", options_.period));
    if (options_.period > 1 && options_.save_freq.batches() > 0)
      throw InvalidArgument(c10::str("ModelCheckpoint: period counts epochs and needs save_freq \"epoch\", got ",
                                     options_.save_freq.batches(), " batches"));
    if (best && std::isnan(*best))
      throw InvalidArgument("ModelCheckpoint: initial_value_threshold must be a number, got nan");
  }

  std::string class_name() const override { return "ModelCheckpoint"; }
  Config get_config() const override {
    const auto& threshold = options_.initial_value_threshold;
    const int64_t batches = options_.save_freq.batches();
    return Config::object({{"filepath", pattern_.text()},
                           {"monitor", options_.monitor},
                           {"verbose", options_.verbose},
                           {"save_best_only", options_.save_best_only},
                           {"save_weights_only", options_.save_weights_only},
                           {"mode", options_.mode},
                           {"save_freq", batches > 0 ? Config(batches) : Config("epoch")},
                           {"initial_value_threshold", threshold ? Config(*threshold) : Config()},
                           {"period", options_.period}});
  }

  void on_train_begin(Logs&) override {
    if (options_.save_best_only) monitor_.begin(*model_);
  }
  void on_epoch_begin(int64_t epoch, Logs&) override { epoch_ = epoch; }
  void on_train_batch_end(int64_t batch, Logs& logs) override {
    const int64_t every = options_.save_freq.batches();
    if (every == 0 || ++batches_ < every) return;
    batches_ = 0;
    save(epoch_, batch + 1, logs);
  }
  void on_epoch_end(int64_t epoch, Logs& logs) override {
    if (options_.save_freq.batches() > 0 || ++epochs_ < options_.period) return;
    epochs_ = 0;
    save(epoch, std::nullopt, logs);
  }

  std::optional<double> best;

 private:
  void save(int64_t epoch, std::optional<int64_t> batch, const Logs& logs) {
    const auto path = pattern_.fill(epoch + 1, batch, logs);
    if (!due(epoch, logs, path)) return;
    if (leads()) make_folder_of(path, "ModelCheckpoint");
    if (options_.save_weights_only) {
      model_->save_weights(path);
    } else {
      model_->save(path);
    }
    say(epoch, "finished saving model to " + path);
  }

  bool due(int64_t epoch, const Logs& logs, const std::string& path) {
    if (!options_.save_best_only) {
      say(epoch, "saving model to " + path);
      return true;
    }
    const auto current = monitor_.value(epoch, logs, "such epochs are saved");
    if (!current) return true;
    if (!monitor_.improves(*current, best)) {
      say(epoch, c10::str(monitor_.name(), " did not improve from ", monitor_text(best)));
      return false;
    }
    say(epoch, c10::str(monitor_.name(), " improved from ", monitor_text(best), " to ", monitor_text(current),
                        ", saving model to ", path));
    best = current;
    return true;
  }

  void say(int64_t epoch, const std::string& what) const {
    if (options_.verbose > 0) Callback::say(c10::str("Epoch ", epoch + 1, ": ", what));
  }

  ModelCheckpointOptions options_;
  FilePattern pattern_;
  Monitor monitor_;
  int64_t epoch_ = 0;
  int64_t epochs_ = 0, batches_ = 0;  // since the last save
};

}  // namespace

ModelCheckpoint::ModelCheckpoint(std::string filepath, ModelCheckpointOptions options)
    : Handle(std::make_shared<Checkpointer>(std::move(filepath), std::move(options))) {}

ModelCheckpoint ModelCheckpoint::from_config(const Config& config) {
  std::string filepath;
  ModelCheckpointOptions options;
  ConfigReader reader("ModelCheckpoint", config);
  reader.require("filepath", filepath)
      .read("monitor", options.monitor)
      .read("verbose", options.verbose)
      .read("save_best_only", options.save_best_only)
      .read("save_weights_only", options.save_weights_only)
      .read("mode", options.mode)
      .read("initial_value_threshold", options.initial_value_threshold)
      .read("period", options.period)
      .ignore("save_freq")  // of two kinds
      .finish();
  options.save_freq = SaveFrequency::from_config(config);
  return ModelCheckpoint(std::move(filepath), std::move(options));
}

std::optional<double> ModelCheckpoint::best() const { return static_cast<const Checkpointer&>(*object()).best; }

}  // namespace tandem::callbacks
