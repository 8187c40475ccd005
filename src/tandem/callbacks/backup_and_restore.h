#pragma once
#include <string>

#include "tandem/callbacks/callback.h"
#include "tandem/callbacks/save_frequency.h"

namespace tandem::callbacks {

/// Arguments of keras.callbacks.BackupAndRestore, in Keras's order.
struct BackupAndRestoreOptions {
  SaveFrequency save_freq = "epoch";  // or a number of batches
  bool double_checkpoint = false;     // keeps the backup before the last one, for when that cannot be read
  bool delete_checkpoint = true;      // removes the backup when training ends
};

/// Lets a training that was interrupted go on where it ended, as keras.callbacks.BackupAndRestore: weights and
/// optimizer are saved to `backup_dir` (latest.weights.h5, training_metadata.json), and a fit that finds them there
/// begins with them, at their epoch; one that was saved in mid-epoch begins that epoch again. Where each epoch is one
/// pass over the data, a training that goes on at an epoch's begin gives the same numbers as one that was not
/// interrupted: orders of rows and masks of dropout go on as well. Unlike Keras, only the callback's own files are
/// removed, and then the folder where it is empty.
///
/// Throws InvalidArgument on an empty backup_dir; DataError, in fit, when files cannot be written or read.
class BackupAndRestore : public Handle<Callback> {
 public:
  explicit BackupAndRestore(std::string backup_dir, BackupAndRestoreOptions options = {});
  static BackupAndRestore from_config(const Config& config);
};

}  // namespace tandem::callbacks
