#pragma once

namespace tandem::cli {

/// What the command ends with; scripts depend on it.
enum ExitStatus { kOk = 0, kFailed = 1, kUsage = 2, kData = 3, kPeer = 4, kNotSaved = 5 };

}  // namespace tandem::cli
