#pragma once

namespace tandem::cli {

/// What the command ends with; scripts depend on it. A signal: 128 + its number.
enum ExitStatus {
  kOk = 0,
  kFailed = 1,    // anything else, a loss that is not finite among it
  kUsage = 2,     // arguments
  kData = 3,      // files that are read
  kPeer = 4,      // another rank
  kNotSaved = 5,  // files that are written, also where that is found before the work begins
};

}  // namespace tandem::cli
