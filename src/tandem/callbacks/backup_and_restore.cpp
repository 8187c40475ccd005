#include "tandem/callbacks/backup_and_restore.h"

#include <c10/util/StringUtil.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>

#include "tandem/callbacks/folder_of.h"
#include "tandem/core/atomic_file.h"
#include "tandem/core/config_reader.h"
#include "tandem/core/error.h"
#include "tandem/core/log.h"

namespace tandem::callbacks {
namespace {

namespace fs = std::filesystem;

/// Weights and what is known of the training, by their files.
struct Backup {
  fs::path weights, metadata;

  bool is_there() const { return fs::exists(weights); }
  void copy_to(const Backup& other) const {
    for (const auto& [from, to] : {std::pair{weights, other.weights}, {metadata, other.metadata}}) {
      std::error_code error;
      if (fs::exists(from)) fs::copy_file(from, to, fs::copy_options::overwrite_existing, error);
      if (error) throw DataError(c10::str(to.string(), ": cannot be written: ", error.message()));
    }
  }
  void remove() const {
    for (const auto& file : {weights, metadata}) {
      std::error_code ignored;  // what stays is replaced by the next training's
      fs::remove(file, ignored);
    }
  }
};

class Backuper : public Callback {
 public:
  Backuper(const std::string& folder, BackupAndRestoreOptions options)
      : folder_(folder),
        options_(options),
        latest_{folder_ / "latest.weights.h5", folder_ / "training_metadata.json"},
        previous_{folder_ / "latest.weights.h5.bkp", folder_ / "training_metadata.json.bkp"} {
    if (folder.empty()) throw InvalidArgument("BackupAndRestore: backup_dir must name a folder, is empty");
  }

  std::string class_name() const override { return "BackupAndRestore"; }
  Config get_config() const override {
    const int64_t batches = options_.save_freq.batches();
    return Config::object({{"backup_dir", folder_.string()},
                           {"save_freq", batches > 0 ? Config(batches) : Config("epoch")},
                           {"double_checkpoint", options_.double_checkpoint},
                           {"delete_checkpoint", options_.delete_checkpoint}});
  }

  void on_train_begin(Logs&) override {
    epoch_ = batches_ = 0;
    if (!leads() || !latest_.is_there()) return;  // fit gives the other processes what this one restores
    try {
      restore(latest_);
    } catch (const DataError& error) {
      if (!previous_.is_there()) throw;
      log_warning(c10::str("BackupAndRestore: ", error.what(), "; training goes on from the backup before"));
      restore(previous_);
    }
  }

  void on_epoch_begin(int64_t epoch, Logs&) override { epoch_ = epoch; }
  void on_train_batch_end(int64_t batch, Logs&) override {
    const int64_t every = options_.save_freq.batches();
    if (every == 0 || ++batches_ < every) return;
    batches_ = 0;
    save(epoch_, batch);
  }
  void on_epoch_end(int64_t epoch, Logs&) override {
    epoch_ = epoch + 1;
    if (options_.save_freq.batches() == 0) save(epoch_, 0);
  }

  void on_train_end(Logs&) override {
    if (!options_.delete_checkpoint || !leads()) return;
    latest_.remove();
    previous_.remove();
    std::error_code not_empty;
    fs::remove(folder_, not_empty);
  }

 private:
  void save(int64_t epoch, int64_t batch) {
    if (leads()) {
      make_folder_of(latest_.weights.string(), "BackupAndRestore");
      if (options_.double_checkpoint && latest_.is_there()) latest_.copy_to(previous_);
    }
    model_->save_weights(latest_.weights.string());
    if (!leads()) return;
    // Keras reads the epoch; the rest is for going on with the same random numbers.
    const auto progress = model_->training_progress();
    const Config about =
        Config::object({{"epoch", epoch}, {"batch", batch}, {"passes", progress.passes}, {"steps", progress.steps}});
    write_file_atomically(latest_.metadata.string(), about.to_json());
  }

  void restore(const Backup& backup) {
    model_->restore(backup.weights.string());
    if (!fs::exists(backup.metadata)) return;
    std::ifstream in(backup.metadata);
    const std::string text(std::istreambuf_iterator<char>(in), {});
    const std::string where = backup.metadata.string();
    if (!in) throw DataError(where + ": cannot be read");
    try {
      const Config about = Config::from_json(text);
      const int64_t epoch = about.at("epoch").as_int();
      if (epoch < 0) throw DataError(c10::str("epoch must not be negative, is ", epoch));
      std::optional<TrainingProgress> progress;
      if (about.contains("passes"))
        progress = TrainingProgress{about.at("passes").as_int(), about.at("steps").as_int()};
      model_->begin_at(epoch, progress);
    } catch (const DataError& error) {
      throw DataError(c10::str(where, ": ", error.what()));
    }
  }

  fs::path folder_;
  BackupAndRestoreOptions options_;
  Backup latest_, previous_;
  int64_t epoch_ = 0, batches_ = 0;  // in progress; since the last save
};

}  // namespace

BackupAndRestore::BackupAndRestore(std::string backup_dir, BackupAndRestoreOptions options)
    : Handle(std::make_shared<Backuper>(backup_dir, options)) {}

BackupAndRestore BackupAndRestore::from_config(const Config& config) {
  std::string backup_dir;
  BackupAndRestoreOptions options;
  ConfigReader("BackupAndRestore", config)
      .require("backup_dir", backup_dir)
      .read("double_checkpoint", options.double_checkpoint)
      .read("delete_checkpoint", options.delete_checkpoint)
      .ignore("save_freq")  // of two kinds
      .finish();
  options.save_freq = SaveFrequency::from_config(config);
  return BackupAndRestore(std::move(backup_dir), options);
}

}  // namespace tandem::callbacks
