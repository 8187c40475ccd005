#pragma once
#include <string>

#include "tandem/callbacks/callback.h"

namespace tandem::callbacks {

/// Arguments of keras.callbacks.CSVLogger, in Keras's order.
struct CSVLoggerOptions {
  std::string separator = ",";
  bool append = false;  // to what the file holds, without another line of names
};

/// Writes a line for each epoch as it ends, as keras.callbacks.CSVLogger, in the text of Python's csv: lines end with
/// CR LF, reals have the fewest digits that read back the same. The columns are the epoch, from 0, and the logs of the
/// first epoch by name, with a "val_" column for each where it had none; what a later epoch lacks is NA. Throws
/// InvalidArgument for a separator that is not one character, DataError when the file cannot be written.
class CSVLogger : public Handle<Callback> {
 public:
  explicit CSVLogger(std::string filename, CSVLoggerOptions options = {});
  static CSVLogger from_config(const Config& config);
};

}  // namespace tandem::callbacks
